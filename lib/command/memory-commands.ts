import type { Message } from '../text/index.js'
import type { Rights } from './ai-commands.js'
import { argument, literal, type CommandNode } from './node.js'

/** What a player asks about what is remembered of it. */
export type MemoryCommand =
  /** `page` counts from 1. */
  | { readonly kind: 'history'; readonly page: number }
  /** The pinned cards; `add`: pins the newest card. */
  | { readonly kind: 'pins'; readonly add: boolean }
  /** `all`: pins and private notes too. */
  | { readonly kind: 'forget'; readonly all: boolean }

/** Highest page of the history that may be asked for. */
const HISTORY_PAGES = 2_000

const help = (name: string): { readonly help: Message } => ({ help: { key: `system.command.help.${name}` } })

/** `/system history`, `/system pins` and `/system forget`, for whom they are. */
export function memoryNodes(rights: Rights): readonly CommandNode[] {
  const page = { type: { kind: 'integer', min: 1, max: HISTORY_PAGES }, execute: { id: 'history' } } as const
  return [
    literal('history', { ...rights, ...help('history'), execute: { id: 'history' } }, [
      argument('page', page),
    ]),
    literal('pins', { ...rights, ...help('pins'), execute: { id: 'pins' } }, [
      literal('add', { ...help('pins_add'), execute: { id: 'pins' }, sets: { add: true } }),
    ]),
    literal('forget', { ...rights, ...help('forget'), execute: { id: 'forget' } }, [
      literal('all', { execute: { id: 'forget' }, sets: { all: true } }),
    ]),
  ]
}
