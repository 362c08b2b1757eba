/** What each player may have of a model: what admins allow, what the player has switched, and what a change of it does. */
import t from 'tap'
import { AI_LEVELS, type AiLevel } from '../../lib/core/ai-level.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { FirstUse, PERMISSION, Preferences, SWITCHES, TOLD } from '../../lib/preferences/index.js'
import { RecordingLogger, somePlayer } from '../support/kernel.js'
import { codeOf, openStore, valueOf } from '../support/player-store.js'

const UNSET = SWITCHES.empty

interface World {
  configured: AiLevel | null
  hasModel: boolean
}

async function open(world: World = { configured: null, hasModel: true }) {
  const { store, driver } = openStore({ types: [SWITCHES, PERMISSION, TOLD] })
  const online: PlayerId[] = []
  const languages = new Map([['de_de', 'Deutsch']])
  const preferences = new Preferences({
    store,
    worldDefault: () => ({ ...world }),
    online: () => online,
    surface: () => 'book',
    languages: () => languages,
  })
  const join = async (): Promise<PlayerId> => {
    const player = somePlayer()
    valueOf(await store.attach(player))
    online.push(player)
    return player
  }
  return { store, driver, preferences, languages, world, join, alice: await join() }
}

void t.test('the lower of what is allowed and what is switched', async (t) => {
  const { preferences, alice } = await open()
  for (const admin of [null, ...AI_LEVELS]) {
    valueOf(await preferences.allow(alice, admin))
    for (const [externalAi, freeChat, ceiling] of [
      [true, true, 'free'],
      [true, false, 'route'],
      [false, true, 'off'],
      [false, false, 'off'],
    ] as const) {
      valueOf(await preferences.set(alice, { externalAi }))
      valueOf(await preferences.set(alice, { freeChat }))
      const expected = AI_LEVELS[Math.min(...[admin ?? 'route', ceiling].map((l) => AI_LEVELS.indexOf(l)))]
      t.equal(preferences.level(alice), expected, `${admin} ${externalAi} ${freeChat}`)
      for (const needed of AI_LEVELS)
        t.equal(
          preferences.check(alice, needed) === null,
          AI_LEVELS.indexOf(needed) <= AI_LEVELS.indexOf(expected ?? 'off'),
          `${needed} of ${expected}`,
        )
    }
  }
})

void t.test('who has taken what', async (t) => {
  const { preferences, alice } = await open({ configured: 'free', hasModel: true })
  const codes = (): (string | undefined)[] =>
    (['route', 'chat', 'free'] as const).map((needed) => preferences.check(alice, needed)?.code)
  t.same(codes(), [undefined, undefined, undefined])
  await preferences.set(alice, { freeChat: false })
  t.same(codes(), [undefined, 'system:chat_off_self', 'system:chat_off_self'])
  await preferences.set(alice, { externalAi: false })
  t.same(codes(), Array(3).fill('system:ai_off_self'))
  await preferences.allow(alice, 'off')
  t.same(codes(), Array(3).fill('system:ai_off'), 'an own switch would not help')
  await preferences.set(alice, { externalAi: true })
  await preferences.set(alice, { freeChat: true })
  await preferences.allow(alice, 'chat')
  t.same(codes(), [undefined, undefined, 'system:chat_off'])
  await preferences.allow(alice, 'route')
  t.same(codes(), [undefined, 'system:chat_off', 'system:chat_off'])
})

void t.test('without a model and a word of the host nothing goes out', async (t) => {
  const { preferences, world, alice } = await open({ configured: null, hasModel: false })
  t.equal(preferences.worldDefault, 'off')
  t.equal(preferences.check(alice, 'route')?.code, 'system:no_model')
  t.equal(preferences.check(alice, 'off'), null)
  world.hasModel = true
  t.equal(preferences.level(alice), 'off', 'until it is looked at again')
  preferences.refresh()
  t.equal(preferences.level(alice), 'route')
  world.configured = 'off'
  preferences.refresh()
  t.equal(preferences.check(alice, 'route')?.code, 'system:ai_off')
})

void t.test('of a player whose data is not known nothing goes out, and nothing is kept', async (t) => {
  const { preferences } = await open({ configured: 'free', hasModel: true })
  const stranger = somePlayer()
  t.equal(preferences.level(stranger), 'off')
  t.match(preferences.of(stranger), { externalAi: false, freeChat: false, history: false })
  t.equal(codeOf(await preferences.set(stranger, { history: false })), 'system:storage_failed')
})

void t.test('a change tells those who run and those who listen; the other side stays as it is', async (t) => {
  const { preferences, alice, join } = await open({ configured: 'free', hasModel: true })
  const bob = await join()
  const heard: unknown[] = []
  preferences.onChange((change) => heard.push(change))
  let ends = 0
  const unwatch = preferences.watch(alice, () => {
    ends += 1
    return preferences.check(alice, 'chat') !== null
  })
  preferences.watch(bob, () => t.fail('another player'))
  await preferences.set(alice, { history: false })
  await preferences.allow(alice, 'chat')
  await preferences.set(alice, { freeChat: false })
  await preferences.allow(alice, null)
  unwatch()
  await preferences.set(alice, { freeChat: true })
  t.same(heard, [
    { player: alice, by: 'player', before: 'free', after: 'free', hasEnded: false },
    { player: alice, by: 'admin', before: 'free', after: 'chat', hasEnded: false },
    { player: alice, by: 'player', before: 'chat', after: 'route', hasEnded: true },
    { player: alice, by: 'admin', before: 'route', after: 'route', hasEnded: true },
    { player: alice, by: 'player', before: 'route', after: 'free', hasEnded: false },
  ])
  t.equal(ends, 4)
  t.same(preferences.of(alice), { ...UNSET, history: false }, 'admins change none')
})

void t.test('surface and language: the own choice, else what the server and the client have', async (t) => {
  const { preferences, languages, alice } = await open()
  const stranger = somePlayer()
  t.same([preferences.surface(alice), preferences.language(alice)], ['book', null])
  t.same([preferences.surface(stranger), preferences.language(stranger)], ['book', null])
  t.same([preferences.of(stranger).notifications, preferences.of(stranger).sounds], [true, false])
  valueOf(await preferences.set(alice, { surface: 'window', language: 'de_de' }))
  t.same([preferences.surface(alice), preferences.language(alice)], ['window', 'de_de'])
  valueOf(await preferences.set(alice, { sounds: false, notifications: false }))
  languages.delete('de_de')
  t.equal(preferences.language(alice), null, 'no pack has it any more')
  languages.set('de_de', 'Deutsch')
  t.equal(preferences.language(alice), 'de_de', 'what was chosen is kept')
  t.equal(codeOf(await preferences.set(alice, { language: '../de' })), 'system:storage_invalid')
  valueOf(await preferences.set(alice, { surface: null }))
  t.same(preferences.of(alice), { ...UNSET, language: 'de_de', sounds: false, notifications: false })
})

void t.test('a new default tells those whom it concerns', async (t) => {
  const { preferences, world, alice, join } = await open({ configured: 'free', hasModel: true })
  const bob = await join()
  await preferences.allow(bob, 'chat')
  const heard: unknown[] = []
  preferences.onChange(({ player, before, after }) => heard.push([player, before, after]))
  preferences.refresh()
  t.same(heard, [])
  world.configured = 'route'
  preferences.refresh()
  t.same(heard, [[alice, 'free', 'route']], 'of bob an admin has said something')
})

void t.test('a player who is not here', async (t) => {
  const { preferences, store } = await open()
  const bob = somePlayer()
  t.same(valueOf(await preferences.allow(bob, 'off')).level, 'off')
  const state = valueOf(await preferences.read(bob))
  t.same(state, {
    admin: 'off',
    own: UNSET,
    level: 'off',
  })
  valueOf(await store.attach(bob))
  t.equal(preferences.level(bob), 'off', 'holds when it comes')
})

void t.test('a revoke leaves what an admin allows and what is switched off', async (t) => {
  const { preferences, store, alice } = await open()
  await preferences.allow(alice, 'off')
  await preferences.set(alice, { history: false })
  valueOf(await store.update(alice, (tx) => tx.set(TOLD, { host: 'a' })))
  valueOf(await store.revoke(alice))
  const kept = valueOf(await store.read(alice))
  t.same(kept.get(PERMISSION), { level: 'off' })
  t.same(kept.get(SWITCHES), { ...UNSET, history: false })
  t.same(kept.get(TOLD), { host: null }, 'who has a System again is told again')
})

void t.test('the notice of first use: once, whatever becomes of its mark', async (t) => {
  const { store, alice } = await open()
  const logger = new RecordingLogger()
  const told: [PlayerId, string][] = []
  const tell = (player: PlayerId, host: string): void => void told.push([player, host])
  const first = new FirstUse({ store, logger, tell })
  first.before(alice, 'a.test')
  first.before(alice, 'a.test')
  await store.settled()
  first.forget(alice)
  first.before(alice, 'a.test')
  t.same(told, [[alice, 'a.test']], 'the mark is kept')
  new FirstUse({ store, logger, tell }).before(alice, 'a.test')
  t.equal(told.length, 1, 'after a restart too')
  first.before(alice, 'b.test')
  t.same(told[1], [alice, 'b.test'], 'another recipient is said')
  await store.close()
  first.forget(alice)
  first.before(alice, 'c.test')
  first.before(alice, 'c.test')
  t.same(told[2], [alice, 'c.test'], 'a mark that cannot be kept stops nothing')
  t.equal(told.length, 3)
  await new Promise((resolve) => setImmediate(resolve))
  t.match(logger.messages(), ['the notice of first use is not marked: system:stopping'])
})
