/** Once a day, whatever clocks, packs, disks and players do. */
import t from 'tap'
import { addEntry } from '../../lib/inventory/index.js'
import { RESOURCES } from '../../lib/rewards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { codeOf, turn } from '../support/kernel.js'
import { cardIn, configuration, give, items, SigninRig, SIGNIN_ID } from './rig.js'

const SEVEN = ['bread', 'coal', 'torch', 'arrow', 'stick', 'egg', 'bone']

async function open(setup: ConstructorParameters<typeof SigninRig>[0] = {}) {
  const rig = new SigninRig(setup)
  rig.at('2026-12-01T12:00:00Z')
  await rig.packs(items(...SEVEN))
  return { rig, alice: await rig.k.join() }
}

/** What an inbox holds, by item. */
const had = (rig: SigninRig, player: Parameters<SigninRig['kept']>[0]): string[] =>
  rig.kept(player).inbox.map(({ lines }) => lines.map(({ item, count }) => `${count} ${item}`).join())

void t.test('a day, from the choice to the entry', async (t) => {
  const { rig, alice } = await open()
  const shown = cardIn(await rig.look(alice))
  t.match(shown, {
    today: '2026-12-01',
    streak: 0,
    total: 0,
    signed: [],
    got: null,
    failure: null,
    canAsk: true,
  })
  t.equal(shown.candidates.length, 3, 'as many as a configuration that says nothing of it')
  t.strictSame(cardIn(await rig.look(alice)), shown, 'the same again')
  const [, second] = shown.candidates
  const done = await rig.pick(alice, second?.id ?? '')
  t.equal(codeOf(done), 'ok')
  const { signin, inbox } = rig.kept(alice)
  t.match(cardIn(done), { streak: 1, total: 1, signed: ['2026-12-01'], candidates: [], failure: null })
  t.match(cardIn(done).got, { reward: second, claim: inbox[0]?.id })
  t.strictSame(had(rig, alice), [`2 minecraft:${second?.id.slice(5)}`])
  t.match(inbox, [{ source: SIGNIN_ID, state: 'AVAILABLE', id: signin.history[0]?.entry }])
  t.equal(rig.told.length, 1, 'one line of the audit log')
  await rig.packs({})
  t.strictSame(cardIn(await rig.look(alice)), cardIn(done), 'again: what was had, by value')
})

void t.test('B31: commands, presses and writes in one tick on a slow disk are one reward', async (t) => {
  const { rig, alice } = await open()
  const [first, second] = cardIn(await rig.look(alice)).candidates
  const ids = [first?.id ?? '', second?.id ?? '']
  let go = (): void => {}
  rig.driver.gate = new Promise((resolve) => (go = resolve))
  const spam = [
    rig.pick(alice, ids[1] ?? ''),
    rig.look(alice),
    rig.look(alice),
    rig.pick(alice, ids[0] ?? ''),
  ]
  const writes = [...ids, ...ids].map((id) => rig.write(alice, id))
  for (let turns = 0; turns < 20; turns++) await turn()
  t.strictSame(rig.told, [], 'nothing is told before it is kept')
  go()
  const codes = [...(await Promise.all(spam)).map(codeOf), ...(await Promise.all(writes))]
  const { signin, inbox } = rig.kept(alice)
  t.strictSame([inbox.length, signin.total, signin.streak, rig.told.length], [1, 1, 1, 1])
  t.strictSame(codes.slice(1, 4), Array(3).fill('system:request_active'))
  const wrote = [codes[0], ...codes.slice(4)]
  t.strictSame(
    ['ok', 'system:signed_in'].map((code) => wrote.filter((one) => one === code).length),
    [1, 4],
    'whoever comes second finds the day signed, though the first is not kept yet',
  )
  t.equal(codeOf(await rig.pick(alice, ids[0] ?? '')), 'system:signed_in')
  t.equal(rig.kept(alice).inbox.length, 1)
})

void t.test('B31: a full disk gives nothing, says so, and the same press works later', async (t) => {
  const { rig, alice } = await open()
  const [first] = cardIn(await rig.look(alice)).candidates
  rig.driver.commitFaults.push(...Array.from({ length: 50 }, () => 'system:storage_failed' as const))
  const failed = await rig.pick(alice, first?.id ?? '')
  t.equal(codeOf(failed), 'system:storage_failed')
  t.match(cardIn(failed), { failure: 'system:storage_failed', got: null, total: 0 })
  t.strictSame([rig.kept(alice).inbox, rig.kept(alice).signin.day, rig.told], [[], '', []])
  rig.driver.commitFaults.length = 0
  t.equal(codeOf(await rig.pick(alice, first?.id ?? '')), 'ok')
  t.equal(rig.kept(alice).inbox.length, 1)
})

void t.test('B33: a clock that jumps ahead and returns', async (t) => {
  const { rig, alice } = await open()
  t.match(await rig.sign(alice), { streak: 1, total: 1 })
  rig.at('2027-01-01T12:00:00Z')
  t.match(await rig.sign(alice), { streak: 1, total: 2 })
  for (const day of ['2026-12-01', '2026-12-02']) {
    rig.at(`${day}T13:00:00Z`)
    const shown = await rig.look(alice)
    t.equal(codeOf(shown), 'system:signin_future')
    t.match(cardIn(shown), { streak: 0, candidates: [], signed: ['2026-12-01'] })
    t.equal(codeOf(await rig.pick(alice, 'test:bread')), 'system:signin_future')
    t.equal(rig.kept(alice).signin.day, '2027-01-01', 'nothing is lowered')
  }
  t.equal(rig.kept(alice).inbox.length, 2)
  t.strictSame(
    rig.ahead,
    [
      [alice, '2027-01-01'],
      [alice, '2027-01-01'],
    ],
    'administrators are told, once a day',
  )
})

void t.test('B33: a save of the year 2099, and one that is a zone ahead', async (t) => {
  const { rig, alice } = await open()
  await rig.save(alice, '2099-12-31')
  t.equal(codeOf(await rig.look(alice)), 'system:signin_future')
  t.equal(codeOf(await rig.pick(alice, 'test:bread')), 'system:signin_future')
  t.equal(codeOf(await rig.k.press(alice, 'system:signin_choose')), 'system:signin_future')
  t.strictSame(rig.ahead, [[alice, '2099-12-31']])
  t.match(rig.kept(alice), { signin: { day: '2099-12-31', streak: 4, total: 9 }, inbox: [] })
  const bob = await rig.k.join('bob')
  await rig.save(bob, '2026-12-03')
  t.equal(codeOf(await rig.look(bob)), 'system:signin_future')
  t.equal(rig.ahead.length, 1, 'two days end by themselves')
})

void t.test('B35: eight days running, then a catalogue of five, then of none', async (t) => {
  const { rig, alice } = await open()
  for (let day = 1; day <= 8; day++) {
    rig.at(`2026-12-0${day}T12:00:00Z`)
    t.match(await rig.sign(alice), { streak: day, total: day, got: {} })
  }
  t.equal(rig.kept(alice).inbox.length, 8)
  rig.at('2026-12-09T12:00:00Z')
  const before = cardIn(await rig.look(alice)).candidates.map(({ id }) => id)
  const five = SEVEN.filter((name) => name !== before[0]?.slice(5)).slice(0, 5)
  await rig.packs(items(...five))
  t.equal(codeOf(await rig.pick(alice, before[0] ?? '')), 'system:offer_gone', 'the one that has left')
  t.equal(rig.kept(alice).inbox.length, 8)
  const card = await rig.sign(alice)
  t.match(card, { streak: 9, got: {} })
  t.ok(five.includes(card.got?.reward.id.slice(5) ?? ''))
  await rig.packs({})
  rig.at('2026-12-10T12:00:00Z')
  const shown = await rig.look(alice)
  t.equal(codeOf(shown), 'system:signin_empty')
  t.match(cardIn(shown), { failure: 'system:signin_empty', candidates: [] })
  t.equal(codeOf(await rig.pick(alice, `test:${five[0]}`)), 'system:signin_empty')
  t.equal(codeOf(await rig.k.press(alice, 'system:signin_choose')), 'system:signin_empty')
  t.match(rig.kept(alice).signin, { day: '2026-12-09', streak: 9 }, 'nothing is marked')
  await rig.packs(items('bread'))
  t.match(await rig.sign(alice), { streak: 10, got: { reward: { id: 'test:bread' } } })
})

void t.test('one view at every door, and one reward a day from two configurations', async (t) => {
  const { rig, alice } = await open()
  await rig.packs(items(...SEVEN), { 'test:food': ['test:bread', 'test:egg'] })
  rig.open = [configuration({ rewards: ['#test:food'], candidates: 9 })]
  const shown = cardIn(await rig.look(alice)).candidates.map(({ id }) => id)
  t.strictSame([...shown].sort(), ['test:bread', 'test:egg'])
  t.equal(codeOf(await rig.pick(alice, 'test:coal')), 'system:offer_gone')
  rig.open = [configuration({ rewards: [] })]
  t.equal(codeOf(await rig.look(alice)), 'system:signin_empty')
  t.equal(codeOf(await rig.pick(alice, 'test:bread')), 'system:signin_empty')
  rig.open = []
  t.equal(codeOf(await rig.pick(alice, 'test:bread')), 'system:signin_empty')
  rig.open = [
    configuration({ rewards: ['#test:food'], candidates: 1 }),
    configuration({ rewards: ['test:coal', 'test:egg'], candidates: 3 }),
  ]
  const both = cardIn(await rig.look(alice)).candidates.map(({ id }) => id)
  t.strictSame([...both].sort(), ['test:bread', 'test:coal', 'test:egg'], 'the union, the larger number')
  t.equal(codeOf(await rig.pick(alice, both[0] ?? '')), 'ok')
  rig.open = rig.open.slice(1)
  t.equal(codeOf(await rig.pick(alice, 'test:coal')), 'system:signed_in')
  t.equal(rig.kept(alice).inbox.length, 1)
})

void t.test('what cannot be given is no choice, and without a world there is none', async (t) => {
  const { rig, alice } = await open()
  await rig.packs({ 'test:gone': give('minecraft:gone', 1_000_000), ...items('bread') })
  t.match(cardIn(await rig.look(alice)).candidates, [{ id: 'test:bread' }])
  t.equal(codeOf(await rig.pick(alice, 'test:gone')), 'system:offer_gone')
  await rig.packs({ 'test:gone': give('minecraft:gone') })
  t.equal(codeOf(await rig.look(alice)), 'system:signin_empty')
  await rig.packs(items('bread'))
  rig.mode = 'off'
  const shown = await rig.look(alice)
  t.equal(codeOf(shown), 'system:no_world')
  t.strictSame(cardIn(shown).candidates, [])
  t.equal(codeOf(await rig.pick(alice, 'test:bread')), 'system:no_world')
  t.equal(codeOf(await rig.k.press(alice, 'system:signin_choose')), 'system:no_world')
  t.match(rig.kept(alice), { signin: { day: '' }, inbox: [] })
})

void t.test('B50: a sign-in among other changes of one tick, and a login in the middle', async (t) => {
  const { rig, alice } = await open()
  const [first] = cardIn(await rig.look(alice)).candidates
  let go = (): void => {}
  rig.driver.gate = new Promise((resolve) => (go = resolve))
  const shop = identifier('shop:coins')
  const changes = [
    rig.pick(alice, first?.id ?? ''),
    rig.k.store.update(alice, (tx) => tx.set(RESOURCES, [{ resource: shop, amount: 5 }])),
    rig.k.store.update(alice, (tx) =>
      tx.set(
        RESOURCES,
        tx.get(RESOURCES).map((held) => ({ ...held, amount: held.amount + 1 })),
      ),
    ),
    rig.k.store.update(alice, (tx) =>
      addEntry(tx, { id: 'a-prize', source: 'test:quest', lines: [], xp: 3 }),
    ),
  ]
  for (let turns = 0; turns < 10; turns++) await turn()
  rig.k.store.detach(alice)
  const back = rig.k.store.attach(alice)
  go()
  await Promise.all([...changes, back])
  const { signin, inbox } = rig.kept(alice)
  t.strictSame(rig.k.store.online(alice)?.get(RESOURCES), [{ resource: shop, amount: 6 }])
  t.strictSame(inbox.map(({ source }) => source).sort(), [SIGNIN_ID, 'test:quest'])
  t.match(signin, { day: '2026-12-01', total: 1 })
  t.equal(codeOf(await rig.pick(alice, first?.id ?? '')), 'system:signed_in')
})
