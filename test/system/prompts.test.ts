/** Prompts of packs: placeholders, and what holds when one is broken or gone after a reload. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { identifier } from '../../lib/core/ids.js'
import { openLive } from '../support/live-system.js'
import { consoleSays, temporaryFolder } from '../support/system.js'
import { ANSWER, good, TEXT } from './fault-cases.js'

const META = JSON.stringify({ pack: { pack_format: 61, description: 'a pack' } })
const QUESTION = 'data/system/system/prompts/question.txt'
const GREETING = 'data/mine/system/prompts/greeting.txt'

function put(world: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(world, 'datapacks', 'mine', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

void t.test('placeholders are filled; a broken or missing override keeps the last good text', async (t) => {
  const world = await temporaryFolder(t)
  put(world, {
    'pack.mcmeta': META,
    [QUESTION]: 'You are the oracle of {{game}}.',
    [GREETING]: 'Hail {{who}}!',
  })
  const live = await openLive(t, {
    squid: { worldFolder: world },
    register: (registration) => registration.prompt(identifier('mine:greeting'), 'Hello {{who}}.'),
  })
  const { runtime, provider } = live
  const alice = await live.join('alice')
  const prompt = async (): Promise<string | undefined> => {
    provider.script(good(ANSWER))
    t.match(await alice.ask('/system ask how deep?'), TEXT)
    return provider.requests.at(-1)?.body.messages[0]?.content
  }
  const oracle = `You are the oracle of Minecraft ${live.version}.`
  t.equal(await prompt(), oracle)
  put(world, { [QUESTION]: 'You are {{nobody}}.', [GREETING]: 'Hail!' })
  const [refusal] = await consoleSays(live, 'system reload')
  t.match(refusal, /2/, 'both are faults')
  await consoleSays(live, 'system reload force')
  t.equal(await prompt(), oracle)
  t.equal(runtime.content().prompts.get('mine:greeting'), 'Hail {{who}}!')
  const log = live.log.join('\n')
  t.ok(log.includes(`${QUESTION}: has an unknown placeholder {{nobody}}`))
  t.ok(log.includes(`${GREETING}: lacks the placeholder {{who}}`))
  t.ok(log.includes('packs: the prompt question can not be used: its last good text stays'))
  rmSync(join(world, 'datapacks', 'mine', QUESTION))
  await consoleSays(live, 'system reload force')
  t.equal(await prompt(), oracle)
  put(world, { [QUESTION]: 'You are a raven.' })
  await consoleSays(live, 'system reload force')
  t.equal(await prompt(), 'You are a raven.')
  t.strictSame(live.stray, [])
})
