import t, { type Test } from 'tap'
import { SeededRandom } from '../../../support/packet-fuzz.js'
import { bootSquid, joinRaw, VERSIONS } from '../../../support/squid.js'
import { makeItem, openStage, type Stage } from '../windows/stage.js'
import { click } from './faults.js'
import { isServed, playerOf } from './support.js'

const ROUNDS = 300

for (const version of VERSIONS) {
  void t.test(`${version}: stock leaves a click with shift to the client's belief`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    const alice = await joinRaw(t, port, version, 'alice')
    const { inventory } = playerOf(serv, 'alice')
    inventory?.updateSlot(36, makeItem(serv, 'dirt', 5))
    await isServed(alice)
    alice.received.length = 0
    alice.write('window_click', click(36, 0, 1))
    await isServed(alice)
    t.equal(inventory?.slots[36]?.count, 5)
    t.notOk(alice.received.some(({ name }) => name === 'window_items' || name === 'set_slot'))
  })

  void t.test(`${version}: clicks, drags and shifts in the own inventory`, async (t) => {
    const stage = await openStage(t, version, ['window-guard'])
    const { player, serv, view, things, served, log, errors, alice } = stage
    const stacks = {
      9: ['dirt', 64],
      12: ['dirt', 33],
      20: ['ender_pearl', 16],
      21: ['iron_helmet', 1],
      30: ['shield', 1],
    }
    for (const [slot, [name, count]] of Object.entries(stacks))
      player.inventory?.updateSlot(Number(slot), makeItem(serv, String(name), Number(count)))
    view.click(9, 0, 1)
    await served()
    t.equal(player.inventory?.slots[9] ?? null, null, 'a click with shift moves')
    t.equal(view.things, things())
    for (const seed of [1, 2]) await storm(t, stage, seed)
    t.strictSame([log.lines, errors, alice.clientErrors], [[], [], []])
  })
}

/** Of each kind of item, how many there are. */
function totals(shown: string): string {
  const counts = new Map<string, number>()
  for (const [, type = '', count] of shown.matchAll(/(\d+)x(\d+)/g))
    counts.set(type, (counts.get(type) ?? 0) + Number(count))
  return [...counts].map(String).sort().join(' ')
}

async function storm(t: Test, { view, things, served, serv }: Stage, seed: number): Promise<void> {
  const random = new SeededRandom(seed)
  const slot = (): number => (random.next() < 0.9 ? random.int(0, 45) : random.pick([-1, 46, 500, -32_768]))
  const before = totals(things())
  const entities = Object.keys(serv.entities).length
  const shown = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    if (random.next() < 0.3) {
      const start = random.pick([0, 4, 8])
      view.click(-999, start, 5)
      for (let n = random.int(0, 5); n > 0; n -= 1) view.click(slot(), start + 1, 5)
      view.click(-999, start + random.pick([2, 2, 2, 6]), 5)
      // a drag without an end is put right by the next click
      view.click(0, 0, 3)
    } else view.click(slot(), random.int(0, 2), random.pick([0, 0, 1, 1, 2, 3, 6, 6]))
    if (round % 10 !== 0) continue
    await served()
    t.equal(view.things, things(), 'the client shows what is')
    shown.add(things())
  }
  await served()
  t.equal(totals(things()), before, 'nothing is made or lost')
  t.equal(Object.keys(serv.entities).length, entities)
  t.ok(shown.size > ROUNDS / 40, 'much was moved')
}
