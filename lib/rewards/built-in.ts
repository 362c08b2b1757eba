import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'
import { identifier, type Identifier } from '../core/ids.js'
import { ok } from '../core/result.js'
import { mergeLines, type ItemLine } from '../inventory/index.js'
import { customItemSchema, type CustomItem } from './item-forms.js'
import { addFeature, credit, debit } from './ledger.js'
import type { Reward, RewardType } from './reward-type.js'

const MAX_STACKS = 36
const MAX_POINTS = 2 ** 31 - 1

type Of<M> = Reward & M

/** A kind of ours; its members were decoded by the schema that it gives itself. */
const kind = <M>(
  name: string,
  members: RewardType['members'],
  type: Omit<RewardType<Of<M>>, 'id' | 'members'>,
) => ({ id: identifier(`system:${name}`), members, ...type }) as unknown as RewardType

const items = kind<{ readonly items: readonly CustomItem[] }>(
  'items',
  () => ({ items: z.array(customItemSchema).min(1).max(MAX_STACKS) }),
  {
    goods({ items }, forms) {
      const lines: ItemLine[] = []
      for (const item of items) {
        const line = forms.lineOf(item)
        if (!line.ok) return line
        lines.push(line.value)
      }
      return ok({ lines: mergeLines(lines), xp: 0 })
    },
    shown: ({ items }) => items.map((item) => ({ kind: 'item', item })),
  },
)

const xp = kind<{ readonly points: number }>('xp', () => ({ points: z.int().min(1).max(MAX_POINTS) }), {
  goods: ({ points }) => ok({ lines: [], xp: points }),
  shown: ({ points }) => [{ kind: 'xp', points }],
})

const resource = kind<{ readonly resource: Identifier; readonly amount: number }>(
  'resource',
  () => ({ resource: identifierSchema, amount: z.int().min(1) }),
  {
    book: (tx, { resource, amount }) => credit(tx, resource, amount),
    unbook: (tx, { resource, amount }) => debit(tx, resource, amount),
    shown: ({ resource, amount }) => [{ kind: 'resource', resource, amount }],
  },
)

/** A marker for other features and plugins to ask for; nothing happens by itself. It stays when a price comes back. */
const feature = kind<{ readonly feature: Identifier }>('feature', () => ({ feature: identifierSchema }), {
  book: (tx, { feature }) => addFeature(tx, feature),
  shown: ({ feature }) => [{ kind: 'feature', feature }],
})

/** The kinds that are always there. */
export const BUILT_IN_REWARDS: readonly RewardType[] = [items, xp, resource, feature]
