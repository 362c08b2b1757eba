import t, { type Test } from 'tap'
import {
  DEFAULT_VERSION,
  VERSIONS,
  bootSquid,
  joinRaw,
  nextEvent,
  type BootedServer,
} from '../../../support/squid.js'
import { EMPTY } from './faults.js'
import { bootShielded, isServed, playerOf } from './support.js'

const CREATIVE = 1

/** A stack in the form of all versions; `data` is a text in it, `depth` how deep it lies. */
function stack(
  { serv }: BootedServer,
  name: string,
  count: number,
  { text = '', depth = 0 } = {},
): Record<string, unknown> {
  let data: Record<string, unknown> = { type: 'string', value: text }
  for (let n = 0; n < depth; n += 1) data = { type: 'compound', value: { d: data } }
  const hasData = text !== '' || depth > 0
  const custom = { type: 'compound', value: { d: data } }
  return {
    present: true,
    itemId: serv.registry.itemsByName[name]?.id,
    itemCount: count,
    nbtData: hasData ? { ...custom, name: '' } : undefined,
    addedComponentCount: hasData ? 1 : 0,
    removedComponentCount: 0,
    components: hasData ? [{ type: 'custom_data', data: custom }] : [],
    removeComponents: [],
  }
}

function things({ serv }: BootedServer): string {
  const slots = playerOf(serv, 'alice').inventory?.slots ?? []
  return slots.flatMap((item, slot) => (item ? [`${slot}:${item.name}x${item.count}`] : [])).join(' ')
}

for (const version of VERSIONS) {
  void t.test(`${version}: stock gives everybody everything, at any place`, async (t) => {
    const booted = await bootSquid(t, version)
    const alice = await joinRaw(t, booted.port, version, 'alice')
    alice.write('set_creative_slot', { slot: 9, item: stack(booted, 'diamond', 127) })
    alice.write('set_creative_slot', { slot: 3_000, item: EMPTY })
    await isServed(alice)
    t.equal(things(booted), '9:diamondx127')
    t.equal(playerOf(booted.serv, 'alice').inventory?.slots.length, 3_001)
  })

  void t.test(`${version}: with the repair`, async (t) => {
    const booted = await bootShielded(t, version, { only: ['creative-guard'] })
    const alice = await joinRaw(t, booted.port, version, 'alice')
    const put = async (slot: number, item: unknown): Promise<void> => {
      alice.write('set_creative_slot', { slot, item })
      await isServed(alice)
    }
    const refused = async (slot: number, item: unknown): Promise<void> => {
      const before = things(booted)
      const right = nextEvent<{ windowId: number; items: unknown[] }>(
        alice,
        'window_items',
        ({ windowId }) => windowId === 0,
      )
      await put(slot, item)
      t.equal((await right).items.length, 46, 'the client is put right')
      t.equal(things(booted), before)
      t.equal(playerOf(booted.serv, 'alice').inventory?.slots.length, 46)
    }
    await refused(9, stack(booted, 'diamond', 64))
    await refused(9, EMPTY)

    playerOf(booted.serv, 'alice').gameMode = CREATIVE
    await put(9, stack(booted, 'diamond', 64))
    await put(45, stack(booted, 'diamond_sword', 1, { text: 'sharp', depth: 30 }))
    t.equal(things(booted), '9:diamondx64 45:diamond_swordx1')
    await put(9, EMPTY)
    t.equal(things(booted), '45:diamond_swordx1')
    await takesOnlyStacks(t, booted, refused)
    playerOf(booted.serv, 'alice').gameMode = 0
    await refused(45, EMPTY)
    t.strictSame(booted.errors, [])
    t.strictSame(alice.clientErrors, [])
  })

  // the count doesn't hang on how items are written
  if (version !== DEFAULT_VERSION) continue
  void t.test(`${version}: a flood of refused ones is put right a few times`, async (t) => {
    const booted = await bootShielded(t, version, { only: ['creative-guard'] })
    const alice = await joinRaw(t, booted.port, version, 'alice')
    alice.received.length = 0
    const right = nextEvent(alice, 'window_items')
    for (let n = 0; n < 300; n += 1) alice.write('set_creative_slot', { slot: 9, item: EMPTY })
    await right
    await isServed(alice)
    t.ok(alice.received.filter(({ name }) => name === 'window_items').length < 10)
  })
}

async function takesOnlyStacks(
  t: Test,
  booted: BootedServer,
  refused: (slot: number, item: unknown) => Promise<void>,
): Promise<void> {
  for (const slot of [-1, 0, 4, 46, 3_000]) await refused(slot, stack(booted, 'diamond', 1))
  await refused(9, stack(booted, 'diamond', 65))
  await refused(9, stack(booted, 'diamond_sword', 2))
  await refused(9, stack(booted, 'diamond', -1))
  await refused(9, { ...stack(booted, 'diamond', 1), itemId: 30_000 })
  await refused(9, stack(booted, 'diamond', 1, { text: 'x', depth: 100 }))
  const texts = Array.from({ length: 3 }, () => ({ type: 'string', value: 'x'.repeat(30_000) }))
  const big = { type: 'compound', value: { a: texts[0], b: texts[1], c: texts[2] } }
  await refused(9, {
    ...stack(booted, 'diamond', 1, { text: 'x' }),
    nbtData: { ...big, name: '' },
    components: [{ type: 'custom_data', data: big }],
  })
  t.pass()
}
