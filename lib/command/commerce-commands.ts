import type { Identifier } from '../core/ids.js'
import type { Rights } from './ai-commands.js'
import { argument, literal, type CommandArgs, type CommandNode } from './node.js'
import type { CommandSource } from './source.js'

/** What is asked about orders and named currencies. */
export type CommerceCommand =
  /** The asker's own. */
  | { readonly kind: 'orders' }
  /** The asker's own sign-in. */
  | { readonly kind: 'signin' }
  /** An administrator about a day that is still to come. */
  | { readonly kind: 'signin-repair'; readonly player: string }
  /** An administrator about a player; `verdict`: what is to become of an order in doubt, or an entry that is issued again. */
  | {
      readonly kind: 'orders-of'
      readonly player: string
      readonly verdict: { readonly do: 'settle' | 'refund' | 'reissue'; readonly id: string } | null
    }
  /** The balance of a player, or a change of it. */
  | {
      readonly kind: 'resource'
      readonly action: 'show' | 'give' | 'take'
      readonly player: string
      readonly resource: Identifier | null
      /** At least 1; 0 for `show`. */
      readonly amount: number
    }

const IDS = ['orders', 'orders-of', 'signin', 'signin-repair', 'resource'] as const

export const isCommerceId = (id: string): id is CommerceCommand['kind'] => IDS.some((known) => known === id)

/** What the grammar reads as a number. */
const MAX_AMOUNT = 999_999_999_999_999

const help = (name: string) => ({ help: { key: `system.command.help.${name}` } })
const player = { type: { kind: 'player' } } as const
const currency = { type: { kind: 'identifier', namespace: 'system' } } as const

/** `/system signin` and `/system orders`, for whom they are. */
export function commerceNodes(own: Rights, admin: Rights): readonly CommandNode[] {
  const verdicts = (['settle', 'refund', 'reissue'] as const).map((verdict) =>
    literal(verdict, { sets: { verdict } }, [
      argument('id', { type: { kind: 'token' }, execute: { id: 'orders-of' } }),
    ]),
  )
  const orders = {
    requires: (source: CommandSource) => own.requires(source) || admin.requires(source),
    denied: own.denied,
    ...help('orders'),
    execute: { id: 'orders', when: own.requires },
  } as const
  const signin = { ...orders, ...help('signin'), execute: { id: 'signin', when: own.requires } } as const
  return [
    literal('signin', signin, [
      literal('repair', admin, [argument('player', { ...player, execute: { id: 'signin-repair' } })]),
    ]),
    literal('orders', orders, [
      argument('player', { ...player, ...admin, execute: { id: 'orders-of' } }, verdicts),
    ]),
  ]
}

/** `/system resource`, for administrators. */
export function resourceNode(admin: Rights): CommandNode {
  return literal('resource', { ...admin, ...help('resource') }, [
    literal('show', { sets: { action: 'show' } }, [
      argument('player', { ...player, execute: { id: 'resource' } }, [
        argument('resource', { ...currency, execute: { id: 'resource' } }),
      ]),
    ]),
    change('give'),
    change('take'),
  ])
}

function change(action: 'give' | 'take'): CommandNode {
  const amount = {
    type: { kind: 'integer', min: 1, max: MAX_AMOUNT },
    execute: { id: 'resource' },
  } as const
  return literal(action, { sets: { action } }, [
    argument('player', player, [argument('resource', currency, [argument('amount', amount)])]),
  ])
}

/** What the grammar has put together. */
export function commerceCommand(id: CommerceCommand['kind'], args: CommandArgs): CommerceCommand {
  const name = String(args['player'] ?? '')
  if (id === 'orders' || id === 'signin') return { kind: id }
  if (id === 'signin-repair') return { kind: id, player: name }
  if (id === 'orders-of') {
    const verdict = (['settle', 'refund', 'reissue'] as const).find((known) => known === args['verdict'])
    return {
      kind: id,
      player: name,
      verdict: verdict === undefined ? null : { do: verdict, id: String(args['id']) },
    }
  }
  const action = (['give', 'take'] as const).find((known) => known === args['action']) ?? 'show'
  const resource = args['resource'] === undefined ? null : (String(args['resource']) as Identifier)
  return { kind: id, action, player: name, resource, amount: Number(args['amount'] ?? 0) }
}
