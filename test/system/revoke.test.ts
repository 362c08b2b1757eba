/** Revoke and reset on a server: with work under way, files that fail, Systems that are gone, and doors that stay shut. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { BINDING } from '../../lib/binding/index.js'
import { identifier, isUuid } from '../../lib/core/ids.js'
import type { Result } from '../../lib/core/result.js'
import { eventually } from '../support/eventually.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  REVOKED,
  temporaryFolder,
  type Reader,
} from '../support/system.js'
import { ALICE, clean, gate, grant, openStage, PURSE, together } from './revoke-stage.js'

const NOT_BOUND = "You don't have a System yet, please ask an admin to grant you one."
const GRANTED = 'The System is now with you. Ask me anything with /system, or try /system help.'
const TAKEN = 'Your System was taken away.'
const MISSING = /^Your System isn't on this server at the moment/
void t.test('a tool that writes after it has waited cannot bring back what was deleted', async (t) => {
  const stage = await openStage(t)
  const { alice, says, late, runtime, files, log } = stage
  t.ok(isUuid(ALICE))
  await grant(stage)
  t.match(await files(), [/players/])
  alice.client.say('/system late')
  await late.gate.reached
  const hooked: unknown[] = []
  stage.hook.run = async (player) => {
    // the engine has noticed that its request is over
    await nextTurn()
    const kept = await runtime.store.read(player)
    hooked.push(player, runtime.engine.state().active, kept.ok && kept.value.get(BINDING).binding?.system)
  }
  t.equal(await says('system revoke alice'), REVOKED)
  t.equal(await alice.nextText(), TAKEN)
  t.strictSame(hooked, [ALICE, 0, 'system:default'], 'work had ended, files were there')
  t.ok(log.some((line) => line.includes('the revoked hook of test:throws failed')))
  t.strictSame(await files(), [])
  late.gate.open()
  t.equal(await late.ended, 'system:revoked')
  t.strictSame(await files(), [])
  await grant(stage)
  t.same(runtime.store.online(ALICE)?.get(PURSE), { gold: 0 })
  t.strictSame(await alice.rest(), [], 'nothing of the request is seen')
  clean(t, stage)
})

void t.test('a file that cannot be deleted: the reason, no success, and the command once more', async (t) => {
  const stage = await openStage(t)
  const { alice, says, folder, late, files, runtime } = stage
  await grant(stage)
  const card = await alice.ask('/system item piston')
  alice.client.say('/system late')
  await late.gate.reached
  const blocked = join(folder, 'world', 'system', 'chat', `${ALICE}.dat`)
  // what the card has left in it
  await runtime.store.settled()
  await rm(blocked, { force: true })
  await mkdir(join(blocked, 'full'), { recursive: true })
  const failed =
    'Not everything of alice could be deleted (system:storage_failed, the log says why). ' +
    'What was running is cancelled; please run the command again.'
  t.equal(await says('system revoke alice'), failed)
  t.equal(runtime.engine.state().active, 0, 'work stays cancelled')
  t.equal(await says('system revoke alice'), failed)
  t.equal(await alice.askText(buttonsOf(card)[0]?.command ?? ''), NOT_BOUND, 'no button works')
  t.equal(await alice.askText('/system me'), NOT_BOUND)
  t.strictSame(await alice.rest(), [], 'she is told of no end yet')
  await rm(blocked, { recursive: true })
  t.equal(await says('system revoke alice'), REVOKED)
  t.equal(await alice.nextText(), TAKEN)
  t.strictSame(await files(), [])
  t.equal(await says('system revoke alice'), 'alice has no System.')
  late.gate.open()
  clean(t, stage)
})

void t.test('a record that cannot be read: revoke names it, reset discards it', async (t) => {
  const folder = await temporaryFolder(t)
  const players = join(folder, 'world', 'system', 'players')
  await mkdir(players, { recursive: true })
  await writeFile(join(players, `${ALICE}.dat`), 'no record')
  const stage = await openStage(t, { folder, autoGrant: 'system:default' })
  const { alice, says, files, runtime } = stage
  t.match(await alice.nextText(), /^Your data can't be read/)
  const unusable =
    "What is kept of alice can't be used (system:storage_unreadable) and was left as it is. To delete it: /system reset alice"
  t.equal(await says('system revoke alice'), unusable)
  t.equal(await says('system grant system:default alice'), unusable)
  t.match(await says('system status alice'), 'system: none\ndata: system:storage_unreadable')
  t.strictSame(await files(), [join('players', `${ALICE}.dat`)])
  t.match(
    await says('system reset alice'),
    /^alice no longer has a System and needs a new grant\. An unreadable or newer file was discarded \(system:storage_unreadable\)\. Not undone: inventory/,
  )
  t.equal(await alice.nextText(), TAKEN)
  t.strictSame(await files(), [])
  t.equal(await alice.askText('/system me'), NOT_BOUND, 'a new grant is needed')
  t.equal(await says('system reset alice'), 'alice has no System.')
  t.equal(await says('system grant system:default alice'), 'alice now has system:default.')
  t.equal(await alice.nextText(), GRANTED)
  t.match(await says('system item-test give alice diamond 2'), /done moved=2 rest=0$/, 'items too')
  t.match(
    await says('system reset alice'),
    /^alice no longer has a System and needs a new grant\. Not undone: inventory/,
    'nothing was discarded',
  )
  t.equal(await alice.nextText(), TAKEN)
  t.equal(runtime.store.problems().length, 0)
  clean(t, stage)
})

void t.test('a System whose definition is gone: she waits for it, until it is revoked', async (t) => {
  const stage = await openStage(t, { autoGrant: 'system:default' })
  const { alice, says, runtime, log, provider } = stage
  t.equal(await alice.nextText(), GRANTED)
  const card = await alice.ask('/system item piston')
  const bind = () =>
    runtime.store.update(ALICE, (tx) =>
      tx.set(BINDING, { binding: { system: identifier('test:gone'), since: 1 } }),
    )
  t.ok((await bind()).ok)
  for (const line of [
    '/system me',
    '/system how deep?',
    '@system how deep?',
    buttonsOf(card)[0]?.command ?? '',
  ])
    t.match(await alice.askText(line), MISSING, line)
  t.match(await says('system status alice'), /^system: test:gone \(missing\)/)
  t.equal(
    await says('system grant system:default alice'),
    'alice already has test:gone, please revoke it first.',
  )
  alice.client.end('bye')
  await eventually(() => runtime.sessions.get(ALICE) === undefined)
  const again = await joinReader(t, stage, 'alice')
  await eventually(() => runtime.store.online(ALICE) !== null)
  t.match(await again.askText('/system me'), MISSING, 'autoGrant gives no other')
  t.notOk(log.some((line) => line.includes('autoGrant')))
  t.equal(await says('system revoke alice'), REVOKED)
  t.equal(await again.nextText(), TAKEN)
  t.equal(await again.askText('/system me'), NOT_BOUND)
  t.ok((await bind()).ok)
  t.match(await says('system reset alice'), /^alice no longer has a System and needs a new grant/)
  t.equal(await again.nextText(), TAKEN)
  t.equal(provider.requests.length, 0)
  clean(t, stage)
})

void t.test('without a System every door is shut before anything is read or made', async (t) => {
  const stage = await openStage(t)
  const { alice, says, files, asked, runtime, provider } = stage
  await grant(stage)
  const card = await alice.ask('/system item piston')
  await says('system revoke alice')
  t.equal(await alice.nextText(), TAKEN)
  const { commits } = runtime.store.counts()
  const doors = [
    '/system late',
    '/system me',
    '/system ask how deep?',
    '/system usage',
    '/system cancel',
    '/system how deep?',
    '@system how deep?',
    ...buttonsOf(card).map(({ command }) => command),
    `/system act ${'A'.repeat(22)}`,
  ]
  for (const line of doors) t.equal(await alice.askText(line), NOT_BOUND, line)
  t.strictSame([await files(), asked.count, provider.requests.length], [[], 0, 0])
  t.equal(runtime.store.counts().commits, commits, 'nothing was written')
  t.match(runtime.engine.state(), { active: 0, waiting: 0, refused: 0 })
  t.match(await alice.askText('/system help'), /^What I can do/, 'help is for all')
  clean(t, stage)
})

void t.test('at once: one after the other, each is told the truth', async (t) => {
  const stage = await openStage(t)
  const { alice } = stage
  await grant(stage)
  const [revoke, reset, give] = ['system revoke alice', 'system reset alice', 'system grant default alice']
  const said = await together(stage, [revoke, reset, give, give, reset, revoke])
  t.match(said, [
    REVOKED,
    'alice has no System.',
    'alice now has system:default.',
    'alice already has system:default, so nothing was changed.',
    /^alice no longer has a System and needs a new grant/,
    'alice has no System.',
  ])
  const heard = [await alice.nextText(), await alice.nextText(), await alice.nextText()]
  t.strictSame(heard, [TAKEN, GRANTED, TAKEN])
  t.strictSame(await alice.rest(), [])
  clean(t, stage)
})

void t.test('names of players who are here, and nothing else', async (t) => {
  const stage = await openStage(t)
  await grant(stage)
  for (const command of ['revoke', 'reset', 'grant system:default'])
    for (const name of ['bob', '@a', '@p', '@e[limit=1]', '*', ALICE])
      t.equal(
        await stage.says(`system ${command} ${name}`),
        `No player called ${name} is online, please check the name.`,
      )
  t.equal(stage.runtime.bindings.systemOf(ALICE), 'system:default')
  clean(t, stage)
})

void t.test(
  'who quits in the middle has no System at the next login, also when that comes at once',
  async (t) => {
    for (const isBackAtOnce of [false, true]) {
      const stage = await openStage(t, { autoGrant: isBackAtOnce ? 'system:default' : null })
      const { alice, runtime, hook, files } = stage
      await grant(stage)
      const held = gate()
      hook.run = () => held.pass()
      const saying = together(stage, ['system revoke alice'])
      await held.reached
      alice.client.end('bye')
      await eventually(() => runtime.sessions.get(ALICE) === undefined)
      const back = async (): Promise<Reader> => {
        const reader = await joinReader(t, stage, 'alice')
        await eventually(() => runtime.store.online(ALICE) !== null)
        return reader
      }
      const early = isBackAtOnce ? await back() : null
      if (early !== null) t.equal(await early.askText('/system me'), NOT_BOUND)
      held.open()
      t.strictSame(await saying, [REVOKED])
      if (early !== null) t.equal(await early.nextText(), TAKEN)
      const reader = early ?? (await back())
      t.equal(await reader.askText('/system me'), NOT_BOUND)
      t.strictSame(await files(), [])
      t.notOk(
        stage.log.some((line) => line.includes('autoGrant')),
        'nothing was given anew',
      )
      clean(t, stage)
      await stage.stop()
    }
  },
)

void t.test('the server stops in the middle: it was taken whole, or she has it still, whole', async (t) => {
  const folder = await temporaryFolder(t)
  const first = await openStage(t, { folder })
  await grant(first)
  const held = gate()
  first.hook.run = () => held.pass()
  const printed: string[] = []
  const real = console.log
  console.log = (text: unknown) => void printed.push(String(text))
  t.teardown(() => (console.log = real))
  await first.serv.handleCommand('system revoke alice')
  await held.reached
  await first.stop()
  console.log = real
  const said = printed.join('\n')
  t.ok(said.includes(REVOKED) || said.includes('could be deleted (system:stopping'), said)
  clean(t, first)
  const second = await openStage(t, { folder })
  if (said.includes(REVOKED)) {
    await eventually(() => second.runtime.store.online(ALICE) !== null)
    t.equal(second.runtime.bindings.boundTo(ALICE), null)
    await grant(second)
  }
  await eventually(() => second.runtime.bindings.systemOf(ALICE) === 'system:default')
  t.match(await second.alice.askText('/system me'), /^Your state/)
  const told = await consoleSays(second, 'system revoke alice')
  t.strictSame(told, [REVOKED])
  t.strictSame(await second.files(), [])
  clean(t, second)
})

const failed = (result: Result<unknown>): string | null => (result.ok ? null : result.failure.code)

void t.test('an item operation under way is brought to its end, one that waits is not begun', async (t) => {
  const stage = await openStage(t)
  const { alice, says, runtime } = stage
  await grant(stage)
  const { lane } = runtime.items
  const said = await together(stage, ['system item-test give alice diamond 5', 'system revoke alice'])
  t.ok(said.includes(REVOKED))
  t.equal(await alice.nextText(), TAKEN)
  const counted = await says('system item-test count alice diamond')
  t.match(counted, /^item-test count inventory=(0|5) inbox=0$/)
  t.equal(failed(await lane.settle(ALICE)), null)
  await says('system save')
  alice.client.end('bye')
  await eventually(() => runtime.sessions.get(ALICE) === undefined)
  await joinReader(t, stage, 'alice')
  await eventually(() => runtime.store.online(ALICE) !== null)
  t.equal(await says('system item-test count alice diamond'), counted)
  t.match(runtime.items.lane.status(), /voided=0 flagged=0$/)
  clean(t, stage)
})
