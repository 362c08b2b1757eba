import t from 'tap'
import fc from 'fast-check'
import { planClick, type Click } from '../../../../plugins/squid/shield/inventory-clicks.js'
import { stepDrag, type Drag } from '../../../../plugins/squid/shield/inventory-drags.js'
import type { SquidItem } from '../../../../plugins/squid/types.js'

const NAMES = ['air', 'stone', 'dirt', 'ender_pearl', 'iron_helmet', 'player_head', 'shield', 'elytra']
const STACKS: Readonly<Record<number, number>> = { 3: 16, 4: 1, 6: 1, 7: 1 }

const item = (type: number, count: number, nbt?: unknown): SquidItem => ({
  type,
  name: NAMES[type] ?? '',
  displayName: '',
  count,
  stackSize: STACKS[type] ?? 64,
  ...(nbt === undefined ? {} : { nbt }),
})
const stone = (count: number): SquidItem => item(1, count)
const dirt = (count: number): SquidItem => item(2, count)
const NAMED = { type: 'compound', value: { Name: 'Bob' } }

type Slots = Readonly<Record<number, SquidItem>>

/** A player's inventory that does what packets say. */
class Inventory {
  readonly slots: (SquidItem | null)[]
  cursor: SquidItem | null
  drag: Drag | null = null
  thrown: SquidItem[] = []

  constructor(slots: Slots, cursor: SquidItem | null = null) {
    this.slots = Array.from({ length: 46 }, (_, slot) => slots[slot] ?? null)
    this.cursor = cursor
  }

  click(click: Click): void {
    const { slots, cursor } = this
    let effect
    if (click.mode === 5) ({ drag: this.drag, effect } = stepDrag({ slots, cursor }, this.drag, click))
    else effect = planClick({ slots, cursor }, click)
    if (effect === undefined) return
    for (const [slot, stack] of effect.slots) this.slots[slot] = stack
    this.cursor = effect.cursor
    if (effect.thrown !== null) this.thrown.push(effect.thrown)
  }

  toString(): string {
    const all = this.slots.flatMap((stack, slot) => (stack ? [`${slot}:${stack.type}x${stack.count}`] : []))
    return [...all, ...(this.cursor ? [`cursor ${this.cursor.type}x${this.cursor.count}`] : [])].join(' ')
  }

  /** How many there are of each thing, wherever. */
  totals(): string {
    const totals = new Map<string, number>()
    for (const stack of [...this.slots, this.cursor, ...this.thrown])
      if (stack !== null) {
        const thing = `${stack.type}${JSON.stringify(stack.nbt)}`
        totals.set(thing, (totals.get(thing) ?? 0) + stack.count)
      }
    return [...totals].map(String).sort().join(' ')
  }
}

const full = (from: number, to: number): Slots =>
  Object.fromEntries(Array.from({ length: to - from }, (_, at) => [from + at, dirt(64)]))

const shifts: readonly (readonly [what: string, slots: Slots, slot: number, expected: string])[] = [
  ['from the main part to the bar', { 10: stone(5) }, 10, '36:1x5'],
  ['from the bar to the main part', { 36: stone(5) }, 36, '9:1x5'],
  ['never onto itself', { 36: stone(5), 37: stone(5) }, 36, '9:1x5 37:1x5'],
  ['first to the same thing', { 10: stone(5), 40: stone(60) }, 10, '36:1x1 40:1x64'],
  ['named things stay apart', { 10: item(1, 5, NAMED), 40: stone(1) }, 10, '36:1x5 40:1x1'],
  ['what finds no room stays', { ...full(36, 44), 10: stone(50), 44: stone(40) }, 10, '10:1x26 44:1x64'],
  ['with no room at all', { ...full(36, 45), 10: stone(50) }, 10, '10:1x50'],
  ['from the off hand', { 45: stone(5), 9: dirt(1) }, 45, '9:2x1 10:1x5'],
  ['puts on', { 10: item(4, 1) }, 10, '5:4x1'],
  ['puts on from the bar', { 40: item(7, 1) }, 40, '6:7x1'],
  ['puts on one of many', { 10: item(5, 3) }, 10, '5:5x1 36:5x2'],
  ['not over what is worn', { 5: item(4, 1), 10: item(4, 1) }, 10, '5:4x1 36:4x1'],
  ['takes off', { 5: item(4, 1) }, 5, '9:4x1'],
  ['a shield into the off hand', { 10: item(6, 1) }, 10, '45:6x1'],
  ['a shield out of it', { 45: item(6, 1) }, 45, '9:6x1'],
  ['an overfull stack is broken up', { 10: stone(150) }, 10, '36:1x64 37:1x64 38:1x22'],
  ['sixteen are a stack of pearls', { 10: item(3, 16), 36: item(3, 10) }, 10, '36:3x16 37:3x10'],
  ['nothing', {}, 10, ''],
]

void t.test('a click with shift', async (t) => {
  for (const [what, slots, slot, expected] of shifts) {
    const inventory = new Inventory(slots)
    inventory.click({ mode: 1, slot, button: 0 })
    const shown = String(inventory)
      .split(' ')
      .filter((word) => !word.endsWith(':2x64'))
      .join(' ')
    t.equal(shown, expected, what)
  }
})

void t.test('a double click', async (t) => {
  const rows = { 9: stone(64), 12: stone(10), 13: item(1, 9, NAMED), 30: stone(20), 40: dirt(3) }
  const cases: readonly (readonly [
    slot: number,
    button: number,
    cursor: SquidItem | null,
    expected: string,
  ])[] = [
    [20, 0, stone(5), '9:1x35 13:1x9 40:2x3 cursor 1x64'],
    [20, 1, stone(40), '9:1x64 12:1x6 13:1x9 40:2x3 cursor 1x64'],
    [20, 0, stone(64), '9:1x64 12:1x10 13:1x9 30:1x20 40:2x3 cursor 1x64'],
    [9, 0, stone(5), '9:1x64 12:1x10 13:1x9 30:1x20 40:2x3 cursor 1x5'],
    [20, 0, null, '9:1x64 12:1x10 13:1x9 30:1x20 40:2x3'],
    [20, 0, item(4, 1), '9:1x64 12:1x10 13:1x9 30:1x20 40:2x3 cursor 4x1'],
  ]
  for (const [slot, button, cursor, expected] of cases) {
    const inventory = new Inventory(rows, cursor)
    inventory.click({ mode: 6, slot, button })
    t.equal(String(inventory), expected)
  }
})

void t.test('drags', async (t) => {
  const cases: readonly (readonly [
    what: string,
    slots: Slots,
    buttons: readonly number[],
    row: readonly number[],
    expected: string,
  ])[] = [
    ['share out', {}, [0, 1, 2], [10, 11, 12], '10:1x3 11:1x3 12:1x3 cursor 1x1'],
    ['give one each', {}, [4, 5, 6], [10, 11, 12], '10:1x1 11:1x1 12:1x1 cursor 1x7'],
    [
      'onto the same thing',
      { 10: stone(63), 11: dirt(1) },
      [0, 1, 2],
      [10, 11, 12],
      '10:1x64 11:2x1 12:1x5 cursor 1x4',
    ],
    ['one slot is a click', {}, [0, 1, 2], [10], '10:1x10'],
    ['one slot is a right click', {}, [4, 5, 6], [10, 10, 10], '10:1x1 cursor 1x9'],
    ['over nothing', {}, [0, 1, 2], [], 'cursor 1x10'],
    ['nothing in the grid or worn', {}, [0, 1, 2], [0, 3, 5, 8, 46, 9], '9:1x10'],
    [
      'over more slots than there are',
      {},
      [0, 1, 2],
      Array.from({ length: 20 }, (_, at) => 9 + at),
      Array.from({ length: 10 }, (_, at) => `${9 + at}:1x1`).join(' '),
    ],
    ['creative drags are refused', {}, [8, 9, 10], [10, 11], 'cursor 1x10'],
    ['another end', {}, [0, 1, 6], [10, 11], 'cursor 1x10'],
    ['no beginning', {}, [1, 1, 2], [10, 11], 'cursor 1x10'],
  ]
  for (const [what, slots, [start, add, end], row, expected] of cases) {
    const inventory = new Inventory(slots, stone(10))
    inventory.click({ mode: 5, slot: -999, button: start })
    for (const slot of row) inventory.click({ mode: 5, slot, button: add })
    inventory.click({ mode: 5, slot: -999, button: end })
    t.equal(String(inventory), expected, what)
    t.equal(inventory.drag, null)
  }
  const inventory = new Inventory({}, stone(10))
  for (const [slot, button] of [
    [-999, 0],
    [10, 1],
    [11, 1],
  ] as const)
    inventory.click({ mode: 5, slot, button })
  // somebody takes and gives while it is under way
  inventory.cursor = stone(3)
  inventory.slots[10] = dirt(5)
  inventory.click({ mode: 5, slot: -999, button: 2 })
  t.equal(String(inventory), '10:2x5 11:1x1 cursor 1x2')
})

void t.test('no row of clicks and drags makes or loses anything', async (t) => {
  const slot = fc.oneof(
    fc.integer({ min: -2, max: 47 }),
    fc.constant(-999),
    fc.constantFrom(5, 9, 10, 36, 45),
  )
  const click = fc.record({
    mode: fc.integer({ min: -1, max: 7 }),
    slot,
    button: fc.oneof(fc.integer({ min: -1, max: 10 }), fc.constant(40), fc.constant(0)),
  })
  const drag = fc
    .record({ kind: fc.constantFrom(0, 4, 8), row: fc.array(slot, { maxLength: 6 }) })
    .map(({ kind, row }) => [
      { mode: 5, slot: -999, button: kind },
      ...row.map((slot) => ({ mode: 5, slot, button: kind + 1 })),
      { mode: 5, slot: -999, button: kind + 2 },
    ])
  const rows = fc.array(
    fc.oneof(
      click.map((one) => [one]),
      drag,
    ),
    { maxLength: 40 },
  )
  const stack = fc.tuple(
    fc.integer({ min: 1, max: 7 }),
    fc.integer({ min: 1, max: 64 }),
    fc.constantFrom(undefined, NAMED),
  )
  const start = fc.array(fc.tuple(fc.integer({ min: 5, max: 45 }), stack), { maxLength: 30 })
  fc.assert(
    fc.property(start, rows, (stacks, clicks) => {
      const inventory = new Inventory(
        Object.fromEntries(
          stacks.map(([at, [type, count, nbt]]) => [
            at,
            item(type, Math.min(count, STACKS[type] ?? 64), nbt),
          ]),
        ),
      )
      const before = inventory.totals()
      for (const one of clicks.flat()) {
        inventory.click(one)
        const all = [...inventory.slots, inventory.cursor]
        if (all.some((stack) => stack !== null && (stack.count < 1 || stack.count > stack.stackSize)))
          return false
      }
      return inventory.totals() === before && inventory.slots.length === 46
    }),
    { seed: 7, numRuns: 2_000 },
  )
  t.pass()
})
