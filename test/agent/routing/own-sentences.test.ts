/**
 * Sentences written before anything was tuned, through the engine: local index in its compute job, extractors, doors. When
 * they were first asked, 20 of 85 (en) and 26 of 84 (zh) were routed, all right; synonyms and examples of their kinds have
 * followed since, none of them one of these sentences, so the coverage reported now is a little better than of unseen ones.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { LocalRouter, type RouteJob } from '../../../lib/agent/routing/index.js'
import { silentLogger } from '../../../lib/core/logger.js'
import type { Result } from '../../../lib/core/result.js'
import { loadItemCatalogue } from '../../../lib/items/index.js'
import { itemNamesIn } from '../../../lib/names/index.js'
import compute from '../../../workers/compute.js'
import { DONE, TestKernel } from '../../support/kernel.js'
import { VANILLA_LANGUAGES, WITH_LANGUAGES } from '../../support/shared.js'
import { LATER_EN, LATER_ZH } from './later-sentences.js'
import { OWN_EN, OWN_ZH, type OwnSentence } from './own-sentences.js'
import { impatient, SHIPPED_MODULES, shippedSynonyms } from './shipped.js'

/** Jobs cross as structured clones, as they do between threads. */
const run = async (job: RouteJob): Promise<Result<unknown>> =>
  structuredClone(await compute(structuredClone(job))) as Result<unknown>

async function shippedEngine(language: string) {
  const items = loadItemCatalogue('1.21.4')
  const read = async (name: string) => {
    const text = await readFile(join(VANILLA_LANGUAGES ?? '', `${name}.json`), 'utf8')
    return [name, itemNamesIn(JSON.parse(text) as Record<string, unknown>).names] as const
  }
  await items.setNames(new Map(await Promise.all(['en_us', 'zh_cn'].map(read))))
  const local = new LocalRouter({ run, items, clock: impatient, logger: silentLogger })
  const k = new TestKernel({
    // what is asked here is where a sentence goes, not what is found there
    modules: SHIPPED_MODULES.map((module) => ({
      ...module,
      tools: [],
      execute: () => Promise.resolve(DONE),
    })),
    local: (text) => local.route(text, language),
    isOffline: true,
  })
  local.rebuild(k.registry.modules(), await shippedSynonyms())
  const player = await k.join()
  return async (text: string) => (await k.text(player, text)).module
}

const isForeign = ([, expected]: OwnSentence): boolean => expected === null

for (const [name, language, sentences] of [
  ['the first set', 'en_us', OWN_EN],
  ['the first set', 'zh_cn', OWN_ZH],
  ['the later set', 'en_us', LATER_EN],
  ['the later set', 'zh_cn', LATER_ZH],
] as const)
  void t.test(`${name} of ${language}: what is routed locally is right`, WITH_LANGUAGES, async (t) => {
    const ask = await shippedEngine(language)
    t.equal(sentences.length, sentences === OWN_EN || sentences === OWN_ZH ? 150 : 60)
    const inScope = sentences.filter((sentence) => !isForeign(sentence)).length
    t.ok(inScope <= 0.6 * sentences.length, 'four in ten are out of scope')
    const wrong: string[] = []
    let right = 0
    for (const [text, expected] of sentences) {
      const module = await ask(text)
      if (module === null) continue
      if (module === expected) right += 1
      else wrong.push(`${text}: ${module}`)
    }
    const answered = right + wrong.length
    const coverage = Math.round((100 * right) / inScope)
    t.comment(
      `${name}, ${language}: precision ${right}/${answered}, coverage ${right}/${inScope} (${coverage} %)`,
    )
    t.ok(right / answered >= 0.98, wrong.join(', '))
    t.ok(coverage >= 50)
  })
