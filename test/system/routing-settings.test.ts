/** `system-semantic.json` on a running server, and the doors that players see of it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { buttonsOf, consoleSays } from '../support/system.js'

const set = ({ configFolder }: LiveSystem, content: object): void =>
  writeFileSync(join(configFolder, 'system-semantic.json'), JSON.stringify(content))
const routing = async (live: LiveSystem): Promise<string | undefined> => (await live.status())['routing']
const NO_MODEL = { 'system-model': { apiKeyEnv: 'SYSTEM_TEST_NO_SUCH_KEY' } }

void t.test('a reload builds the index anew, in the background', async (t) => {
  const live = await openLive(t, { config: NO_MODEL })
  const alice = await live.join('alice')
  const strange = '/system whither hath fate cast me'
  t.notMatch(await alice.ask(strange), /^Your state/)
  const line = /^mode=ENFORCE threshold=0\.\d{3} coverage=[01]\.\d{3} examples=(\d+)$/
  await eventually(async () => line.test((await routing(live)) ?? ''))
  const before = Number(line.exec((await routing(live)) ?? '')?.[1])
  set(live, {
    examples: {
      'system:player_info': { en_us: ['whither hath fate cast me', 'x'.repeat(501)] },
      'system:nowhere': { en_us: ['a secret sentence'] },
      'system:question': { en_us: ['another secret sentence'] },
    },
  })
  t.match((await consoleSays(live, 'system reload'))[0], /1 changed: system-semantic\.examples/)
  await eventually(async () => (await routing(live))?.endsWith(`examples=${before + 1}`) === true)
  t.match(await alice.ask(strange), /^Your state\n/)
  const log = live.log.join('\n')
  t.match(
    log,
    /system-semantic\.json: examples\.system:player_info\.en_us\[1\]: longer than 500 characters; it is skipped/,
  )
  t.match(log, /system-semantic\.json: examples\.system:nowhere: is no module here; it is skipped/)
  t.match(log, /system-semantic\.json: examples\.system:question: may not be routed locally; it is skipped/)
  t.notMatch(log, /secret/)
  set(live, { mode: 'SHADOW' })
  await consoleSays(live, 'system reload')
  await eventually(async () => (await routing(live))?.startsWith('mode=SHADOW threshold=0.') === true)
  t.notMatch(await alice.ask('/system where am i'), /^Your state/)
  t.match(live.log.join('\n'), /local routing: SHADOW would choose system:player_info confidence=/)
  set(live, { mode: 'OFF' })
  await consoleSays(live, 'system reload')
  t.notMatch(await alice.ask('/system where am i'), /^Your state/)
  t.strictSame(live.stray, [])
})

void t.test('what a model chose is remembered until a reload; a question has buttons', async (t) => {
  const live = await openLive(t)
  const { provider } = live
  const alice = await live.join('alice')
  const strange = '/system unveil mine earthly condition'
  const routes = async (): Promise<string | undefined> => (await live.status())['routes']
  const choice = { module: 'system:player_info', input: {} }
  provider.script(choice)
  t.match(await alice.ask(strange), /^Your state\n/)
  t.match(await alice.ask(strange), /^Your state\n/)
  t.equal(provider.requests.length, 1)
  t.match(await routes(), / cache=1 model=1 /)
  await consoleSays(live, 'system reload')
  provider.script(choice)
  t.match(await alice.ask(strange), /^Your state\n/)
  t.equal(provider.requests.length, 2)
  provider.script({ clarify: 'Facts or recipe?', modules: ['system:item_query', 'system:recipe_query'] })
  alice.say('/system bread matters')
  const card = await alice.reader.next()
  t.strictSame(
    buttonsOf(card).map(({ action, command }) => [action, command]),
    [
      ['suggest_command', '/system item '],
      ['suggest_command', '/system recipe '],
    ],
  )
  t.strictSame([provider.errors, live.stray, live.errors], [[], [], []])
})
