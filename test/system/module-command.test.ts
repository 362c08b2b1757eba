/** `/system module`: what an administrator opens and closes for one player, and what remains of it. */
import t from 'tap'
import { completions, offersWord } from '../support/command-client.js'
import { eventually } from '../support/eventually.js'
import {
  CLOSED,
  configuration,
  definition,
  grant,
  GRANTED,
  moduleWorld,
  NO_PERMISSION,
  putPack,
  trains,
  type WorldFiles,
} from '../support/module-world.js'
import { nextEvent } from '../support/squid.js'
import {
  consoleSays,
  joinReader,
  openSystem,
  REVOKED,
  temporaryFolder,
  type Reader,
  type SystemServer,
} from '../support/system.js'

const NEVER = { type: 'level', min: 1_000_000 }
const WORLD: WorldFiles = {
  [definition('one')]: {
    name: 'One',
    modules: ['system:player', { module: 'test:north', condition: NEVER }],
  },
  [definition('two')]: { name: 'Two', modules: ['system:items'] },
  [configuration('north')]: { type: 'test:trains', line: 'north' },
}

/** What is answered of alice's modules: when nobody has said anything, and when one is allowed and one denied. */
const UNTOUCHED = 'alice: open: system:player; closed: test:north; allowed by an admin: -; denied: -'
const SAID = 'allowed by an admin: test:north; denied: system:player'
const OVERRIDDEN = `alice: open: test:north; closed: system:player; ${SAID}`

const says = async (system: SystemServer, line: string): Promise<string> =>
  (await consoleSays(system, `system module ${line}`)).join('\n')
const offered = ({ client }: Reader, word: string): boolean => offersWord(client, word)

for (const version of ['1.16.5', '1.21.4']) {
  void t.test(version, async (t) => {
    const whole = t
    const world = await moduleWorld(t, WORLD)
    const configFolder = await temporaryFolder(t)
    const open = (): Promise<SystemServer> =>
      openSystem(t, version, {
        register: trains({ looked: 0, isHoliday: false }),
        settings: { autoGrant: null, configFolder },
        config: { 'system-access': { adminsInOfflineMode: true } },
        squid: { worldFolder: world },
      })
    let system = await open()
    let alice = await joinReader(t, system, 'alice')
    await grant(system, alice, 'test:one')

    await t.test('allow, deny, default', async (t) => {
      t.equal(await says(system, 'alice'), UNTOUCHED)
      t.equal(
        await says(system, 'ALICE test:north allow'),
        'test:north is now open to alice, whatever its conditions say.',
      )
      await eventually(() => offered(alice, 'trains'))
      t.match(await alice.askText('/system trains'), /^Trains: test:north north 2/)
      t.equal(await says(system, 'alice player deny'), 'system:player is now closed to alice.')
      await eventually(() => !offered(alice, 'me'))
      t.equal(await alice.askText('/system me'), CLOSED)
      t.equal(await says(system, 'alice'), OVERRIDDEN)
      t.equal(
        await says(system, 'alice test:north default'),
        'test:north is for alice as the System says again.',
      )
      await eventually(() => !offered(alice, 'trains'))
      t.equal(await alice.askText('/system trains'), CLOSED)
      t.equal(
        await says(system, 'alice system:items allow'),
        "Noted, but the System of alice doesn't name system:items, so it stays closed.",
      )
      t.equal(await alice.askText('/system item piston'), CLOSED)
      await says(system, 'alice system:items default')
    })

    await t.test('what is refused', async (t) => {
      const bob = await joinReader(t, system, 'bob')
      const rows: readonly (readonly [line: string, says: RegExp])[] = [
        ['alice test:nowhere allow', /^There is no module called test:nowhere/],
        ['alice nowhere deny', /^There is no module called system:nowhere/],
        ['alice system:help deny', /^There is no module called system:help/],
        ['alice system:player open', /doesn't fit|don't know|missing/],
        ['alice system:player', /^Something is missing/],
        ['', /^Something is missing/],
        ['carol', /^No player called carol is online/],
        ['carol system:player deny', /^No player called carol is online/],
        ['bob', /^bob has no System/],
        ['bob system:player deny', /^bob has no System/],
      ]
      for (const [line, expected] of rows) t.match(await says(system, line), expected, line)
      // back to what nobody ever said, of a module that no pack has
      t.match(await says(system, 'alice test:nowhere default'), /as the System says again/)
      for (const reader of [alice, bob])
        for (const line of ['alice', 'alice system:player allow', 'alice system:player deny', 'alice x y z'])
          t.equal(await reader.askText(`/system module ${line}`), NO_PERMISSION, line)
      t.equal(await alice.askText('/system me'), CLOSED, 'as it was')
      t.strictSame(await bob.rest(), [])
      bob.client.end('bye')
      await nextEvent(
        system.serv.players.find(({ username }) => username === 'bob') ?? bob.client,
        'disconnected',
      )
      t.match(await says(system, 'bob'), /^No player called bob is online/)
    })

    await t.test('completion is for administrators', async (t) => {
      t.notOk(offered(alice, 'module'))
      for (const line of ['/system module ', '/system module alice ', '/system module alice test:north '])
        t.strictSame(await completions(alice.client, line), [], line)
      await system.serv.handleCommand('op alice')
      await eventually(() => offered(alice, 'module'))
      await alice.rest()
      t.strictSame(await completions(alice.client, '/system mod'), ['module'])
      t.strictSame(await completions(alice.client, '/system module a'), ['alice'])
      const modules = await completions(alice.client, '/system module alice ')
      for (const id of ['test:north', 'system:player', 'system:items']) t.ok(modules.includes(id), id)
      t.strictSame((await completions(alice.client, '/system module alice test:north ')).sort(), [
        'allow',
        'default',
        'deny',
      ])
      t.match(await alice.askText('/system module alice test:north allow'), /is now open to alice/)
      t.match(await alice.askText('/system trains'), /^Trains: /)
      t.equal(await alice.askText('/system module alice'), OVERRIDDEN, 'an administrator in the game')
      await system.serv.handleCommand('deop alice')
      await eventually(() => !offered(alice, 'module'))
      await alice.rest()
    })

    await t.test('kept over a restart, with a module that is away meanwhile', async (t) => {
      t.strictSame([system.errors, alice.client.clientErrors], [[], []])
      await system.stop()
      system = await open()
      alice = await joinReader(whole, system, 'alice')
      await eventually(() => offered(alice, 'trains'))
      t.notOk(offered(alice, 'me'))
      t.equal(await says(system, 'alice'), OVERRIDDEN)
      t.match(await alice.askText('/system trains'), /^Trains: test:north/)
      t.equal(await alice.askText('/system me'), CLOSED)
      putPack(world, { [definition('one')]: { name: 'One', modules: ['system:items'] } })
      await consoleSays(system, 'system reload')
      t.equal(await says(system, 'alice'), `alice: open: system:items; closed: -; ${SAID}`)
      putPack(world, { [definition('one')]: WORLD[definition('one')] })
      await consoleSays(system, 'system reload')
      t.equal(await says(system, 'alice'), OVERRIDDEN)
    })

    await t.test('gone after a revoke', async (t) => {
      t.strictSame(await consoleSays(system, 'system revoke alice'), [REVOKED])
      t.match(await alice.nextText(), /taken away/)
      t.match(await says(system, 'alice'), /^alice has no System/)
      await consoleSays(system, 'system grant test:one alice')
      t.equal(await alice.nextText(), GRANTED)
      t.equal(await says(system, 'alice'), UNTOUCHED)
      t.match(await alice.askText('/system me'), /^Your state/)
      t.equal(await alice.askText('/system trains'), CLOSED)
    })
    t.strictSame([await alice.rest(), system.errors, alice.client.clientErrors], [[], [], []])
  })
}
