import fc from 'fast-check'
import type { NbtKind, NbtTree, NbtValues } from '../../lib/codec/nbt/index.js'

/** Text that plain and modified UTF-8 write alike: no NUL, nothing beyond U+FFFF. */
const commonText = fc.string({
  unit: fc
    .oneof(
      fc.integer({ min: 1, max: 0x7f }),
      fc.integer({ min: 1, max: 0xd7ff }),
      fc.integer({ min: 0xe000, max: 0xffff }),
    )
    .map((unit) => String.fromCharCode(unit)),
  maxLength: 40,
})
/** prismarine-nbt loses a member of this name when it reads. */
const commonKey = commonText.filter((key) => key !== '__proto__')

const signed = (bits: number): fc.Arbitrary<number> =>
  fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })
const long = fc.tuple(signed(32), signed(32))

type Values = { readonly [K in NbtKind]: fc.Arbitrary<NbtValues[K]> }

const { compound } = fc.letrec<Pick<NbtValues, 'compound' | 'list'> & { tree: NbtTree }>((tie) => {
  const values: Values = {
    byte: signed(8),
    short: signed(16),
    int: signed(32),
    long,
    float: fc.float(),
    double: fc.double(),
    string: commonText,
    byteArray: fc.array(signed(8)),
    intArray: fc.array(signed(32)),
    longArray: fc.array(long),
    list: tie('list'),
    compound: tie('compound'),
  }
  const kinds = Object.keys(values) as NbtKind[]
  const kind = fc.constantFrom(...kinds.filter((name) => name !== 'list' && name !== 'compound'))
  const nested = fc.constantFrom<NbtKind>('list', 'compound')
  const anyKind = fc.oneof({ depthSize: 'small' }, kind, nested)
  return {
    tree: anyKind.chain((type) => values[type].map((value) => ({ type, value }) as NbtTree)),
    list: fc.oneof(
      { depthSize: 'small' },
      fc.constant({ type: 'end' as const, value: [] }),
      anyKind.chain((type) =>
        fc.array<NbtValues[NbtKind]>(values[type], { maxLength: 5 }).map((value) => ({ type, value })),
      ),
    ),
    compound: fc
      .uniqueArray(fc.tuple(commonKey, tie('tree')), { selector: ([key]) => key, maxLength: 5 })
      .map((members) => Object.fromEntries(members)),
  }
})

/** Compounds in prismarine-nbt's shape that it writes and reads without loss. */
export const anyCompound: fc.Arbitrary<NbtTree> = compound.map((value) => ({ type: 'compound', value }))

/** The same data in ordinary arrays and objects, whatever their prototypes were. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]))
}
