import t from 'tap'
import { planClick, type Click } from '../../../../plugins/squid/shield/inventory-clicks.js'
import type { SquidItem } from '../../../../plugins/squid/types.js'

interface Thing {
  readonly type?: number
  readonly count: number
  readonly stackSize?: number
  readonly nbt?: unknown
  readonly components?: unknown
}
const item = ({ type = 1, count, stackSize = 64, ...rest }: Thing): SquidItem => ({
  type,
  name: `item${type}`,
  displayName: '',
  count,
  stackSize,
  ...rest,
})

type Slots = Readonly<Record<number, SquidItem>>
const inventory = (slots: Slots, cursor: SquidItem | null = null) => ({
  slots: Array.from({ length: 46 }, (_, slot) => slots[slot] ?? null),
  cursor,
})
const short = (stack: SquidItem | null | undefined): string => (stack ? `${stack.type}x${stack.count}` : '-')

const stone = item({ count: 10 })
const dirt = item({ type: 2, count: 5 })
const named = item({ count: 3, nbt: { type: 'compound', value: { Name: 'Bob' } } })

type Case = readonly [what: string, slots: Slots, cursor: SquidItem | null, click: Click, expected: string]
const cases: readonly Case[] = [
  ['picks up', { 10: stone }, null, { mode: 0, slot: 10, button: 0 }, '10:- cursor 1x10'],
  ['puts down', {}, stone, { mode: 0, slot: 10, button: 0 }, '10:1x10 cursor -'],
  ['swaps other things', { 10: dirt }, stone, { mode: 0, slot: 10, button: 0 }, '10:1x10 cursor 2x5'],
  [
    'fills up a stack',
    { 10: item({ count: 60 }) },
    stone,
    { mode: 0, slot: 10, button: 0 },
    '10:1x64 cursor 1x6',
  ],
  ['keeps named things apart', { 10: named }, stone, { mode: 0, slot: 10, button: 0 }, '10:1x10 cursor 1x3'],
  [
    'an overfull stack takes nothing',
    { 10: item({ count: 90 }) },
    stone,
    { mode: 0, slot: 10, button: 0 },
    '10:1x90 cursor 1x10',
  ],
  ['nothing on nothing', {}, null, { mode: 0, slot: 10, button: 0 }, '10:- cursor -'],
  ['takes half', { 10: dirt }, null, { mode: 0, slot: 10, button: 1 }, '10:2x2 cursor 2x3'],
  ['takes the last', { 10: item({ count: 1 }) }, null, { mode: 0, slot: 10, button: 1 }, '10:- cursor 1x1'],
  ['puts one', {}, stone, { mode: 0, slot: 10, button: 1 }, '10:1x1 cursor 1x9'],
  ['adds one', { 10: item({ count: 1 }) }, stone, { mode: 0, slot: 10, button: 1 }, '10:1x2 cursor 1x9'],
  [
    'a full stack takes none',
    { 10: item({ count: 64 }) },
    stone,
    { mode: 0, slot: 10, button: 1 },
    '10:1x64 cursor 1x10',
  ],
  ['throws the cursor', {}, stone, { mode: 0, slot: -999, button: 0 }, 'cursor - thrown 1x10'],
  ['throws one of the cursor', {}, stone, { mode: 0, slot: -999, button: 1 }, 'cursor 1x9 thrown 1x1'],
  ['throws an empty cursor', {}, null, { mode: 0, slot: -999, button: 1 }, 'cursor -'],
  [
    'swaps with a key',
    { 10: stone, 38: dirt },
    null,
    { mode: 2, slot: 10, button: 2 },
    '10:2x5 38:1x10 cursor -',
  ],
  [
    'swaps with the off hand',
    { 10: stone },
    null,
    { mode: 2, slot: 10, button: 40 },
    '10:- 45:1x10 cursor -',
  ],
  ['swaps with itself', { 36: stone }, null, { mode: 2, slot: 36, button: 0 }, 'cursor -'],
  ['drops one', { 10: dirt }, null, { mode: 4, slot: 10, button: 0 }, '10:2x4 cursor - thrown 2x1'],
  ['drops all', { 10: dirt }, null, { mode: 4, slot: 10, button: 1 }, '10:- cursor - thrown 2x5'],
  ['drops nothing', {}, null, { mode: 4, slot: 10, button: 0 }, 'cursor -'],
  ['drops nothing with a full cursor', { 10: dirt }, stone, { mode: 4, slot: 10, button: 0 }, 'cursor 1x10'],
]

void t.test('what clicks do', async (t) => {
  for (const [what, slots, cursor, click, expected] of cases) {
    const effect = planClick(inventory(slots, cursor), click)
    const seen = [...(effect?.slots ?? [])].map(([slot, stack]) => `${slot}:${short(stack)}`)
    const thrown = effect?.thrown ? [`thrown ${short(effect.thrown)}`] : []
    t.equal([...seen, `cursor ${short(effect?.cursor)}`, ...thrown].join(' '), expected, what)
  }
})

void t.test('refused clicks', async (t) => {
  const refused: readonly Click[] = [
    { mode: 1, slot: 10, button: 2 },
    { mode: 1, slot: 3, button: 0 },
    { mode: 1, slot: -999, button: 0 },
    { mode: 3, slot: 10, button: 2 },
    { mode: 5, slot: 10, button: 1 },
    { mode: 6, slot: 10, button: 2 },
    { mode: 6, slot: 4, button: 0 },
    { mode: 7, slot: 10, button: 0 },
    { mode: -1, slot: 10, button: 0 },
    { mode: 0, slot: 10, button: 2 },
    { mode: 0, slot: 0, button: 0 },
    { mode: 0, slot: 4, button: 0 },
    { mode: 0, slot: 46, button: 0 },
    { mode: 0, slot: -1, button: 0 },
    { mode: 0, slot: 10.5, button: 0 },
    { mode: 0, slot: NaN, button: 0 },
    { mode: 2, slot: 10, button: 9 },
    { mode: 2, slot: 10, button: -1 },
    { mode: 4, slot: 10, button: 5 },
    { mode: 4, slot: -999, button: 0 },
    { mode: undefined, slot: '10', button: null },
  ]
  for (const click of refused)
    t.equal(planClick(inventory({ 10: stone }, null), click), undefined, JSON.stringify(click))
})
