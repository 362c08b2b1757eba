/** The evidence behind the thresholds of local routing. */
import t from 'tap'
import type { AgentModule, Sentence } from '../../../lib/agent/index.js'
import { identifier } from '../../../lib/core/ids.js'
import {
  buildLocalIndex,
  complexPhrasing,
  isAccepted,
  type LocalIndex,
  type LocalProfile,
} from '../../../lib/agent/routing/index.js'
import { GENERAL_SENTENCES } from '../../../lib/agent/routing/general-sentences.js'
import { loadItemCatalogue } from '../../../lib/items/index.js'
import { foldText } from '../../../lib/lexical/index.js'
import { OUT_OF_SCOPE_EN } from './out-of-scope-en.js'
import { OUT_OF_SCOPE_ZH } from './out-of-scope-zh.js'
import { SHIPPED_MODULES, shippedSynonyms } from './shipped.js'

const examplesOf = (module: AgentModule): string[] => Object.values(module.routing.examples ?? {}).flat()
const PROFILES: readonly LocalProfile[] = SHIPPED_MODULES.map((module) => ({
  id: module.id,
  examples: examplesOf(module),
}))
const STONE = identifier('minecraft:stone')

/** The whole decision as the router takes it, on an already masked sentence. */
function decide(index: LocalIndex, masked: string, item: Sentence['item']): string | null {
  if (complexPhrasing(masked) !== null) return null
  const match = index.query(masked)
  if (match === null || !isAccepted(match)) return null
  const module = SHIPPED_MODULES.find(({ id }) => id === match.id)
  return module?.routing.extract?.({ text: masked, item }) === undefined ? null : match.id
}

void t.test('each module ships enough sentences in both languages, none of them complex', async (t) => {
  for (const module of SHIPPED_MODULES) {
    for (const language of ['en_us', 'zh_cn']) {
      const examples = module.routing.examples?.[language] ?? []
      t.ok(examples.length >= 25, `${module.id} ${language}`)
      t.equal(new Set(examples).size, examples.length, `${module.id} ${language} repeats none`)
    }
    for (const example of examplesOf(module)) t.equal(complexPhrasing(foldText(example)), null, example)
  }
})

void t.test('held-out examples: no wrong label, most of them accepted', async (t) => {
  const synonyms = await shippedSynonyms()
  let accepted = 0
  let all = 0
  for (const profile of PROFILES)
    for (const example of profile.examples) {
      const rest = profile.examples.filter((other) => other !== example)
      const index = buildLocalIndex(
        PROFILES.map((other) => (other === profile ? { ...profile, examples: rest } : other)),
        synonyms,
      )
      const label = decide(index, foldText(example), example.includes('{item}') ? STONE : null)
      if (label !== null && label !== profile.id) t.fail(`"${example}" would go to ${label}`)
      all += 1
      if (label !== null) accepted += 1
    }
  t.comment(`${accepted} of ${all} accepted`)
  t.ok(accepted / all >= 0.6, `${accepted} of ${all}`)
})

void t.test('no out-of-scope sentence is accepted', async (t) => {
  t.ok(OUT_OF_SCOPE_EN.length >= 150 && OUT_OF_SCOPE_ZH.length >= 150)
  const index = buildLocalIndex(PROFILES, await shippedSynonyms())
  const catalogue = loadItemCatalogue('1.21.4')
  for (const sentence of [...OUT_OF_SCOPE_EN, ...OUT_OF_SCOPE_ZH, ...GENERAL_SENTENCES]) {
    const mention = catalogue.mask(sentence)
    t.equal(decide(index, mention?.masked ?? foldText(sentence), mention?.item ?? null), null, sentence)
  }
})
