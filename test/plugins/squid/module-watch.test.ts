/** When a client is told its commands again because the modules open to its player are others. */
import t from 'tap'
import { Sessions } from '../../../lib/agent/index.js'
import { playerId, type PlayerId } from '../../../lib/core/ids.js'
import type { ModuleAccess } from '../../../lib/systems/index.js'
import { ModuleWatch } from '../../../plugins/squid/module-watch.js'

/** Within so many ticks everybody is looked at, whatever place a round has. */
const TICKS = 50
const player = (n: number): PlayerId => playerId(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)

function rig() {
  const sessions = new Sessions()
  const told: PlayerId[] = []
  let open: readonly string[] = ['test:a']
  const access = { open: () => open.map((id) => ({ id })) } as unknown as ModuleAccess
  const watch = new ModuleWatch({ sessions, access, onChange: (id) => void told.push(id) })
  const tick = (): void => {
    for (let n = 0; n < TICKS; n += 1) watch.tick()
  }
  return { sessions, told, watch, tick, set: (ids: readonly string[]) => (open = ids) }
}

void t.test('whoever came after a tick with nobody there is looked at, each once for a change', async (t) => {
  const { sessions, told, tick, set } = rig()
  tick()
  const players = Array.from({ length: 45 }, (_, n) => player(n))
  for (const id of players) sessions.open(id, 'somebody', 'en_us')
  tick()
  t.strictSame(told, [], 'nothing is others yet')
  set(['test:a', 'test:b'])
  tick()
  t.strictSame([...told].sort(), players)
  sessions.close(player(7))
  set([])
  tick()
  t.equal(told.length, 45 + 44)
})

void t.test('what a client was sent is what it knows', async (t) => {
  const { sessions, told, watch, tick, set } = rig()
  const id = player(1)
  sessions.open(id, 'alice', 'en_us')
  watch.sent(id)
  set(['test:b'])
  tick()
  t.equal(told.length, 1, 'a change between the packet and the first look is seen')
  set(['test:c'])
  watch.sent(id)
  tick()
  t.equal(told.length, 1, 'one that it was sent for another reason is not sent again')
  watch.forget(id)
  set([])
  tick()
  t.equal(told.length, 1)
  watch.sent(player(2))
  sessions.open(player(2), 'bob', 'en_us')
  set(['test:d'])
  tick()
  t.strictSame(told.slice(1), [id], 'nothing is kept of who has no session')
})
