import type { FailureCode } from '../core/failure.js'

/** What completion may offer to one asker: lists already filtered by what the asker may see. */
export interface CommandSuggestions {
  /** Names of online players that the asker may know of. */
  players(): readonly string[]
  /** Full item ids such as `minecraft:diamond`. */
  items(): readonly string[]
  /** Ids of the systems that a binding can name. */
  systems(): readonly string[]
  /** Ids of all module configurations. */
  modules(): readonly string[]
  /** The languages that can be chosen, in lower case. */
  languages(): readonly string[]
}

/** Who types a command. The grammar reads rights from here alone; whoever executes checks them again. */
export interface CommandSource {
  readonly kind: 'player' | 'console'
  /** The player's name, or a word for the console. */
  readonly name: string
  /** Always true for the console. */
  readonly admin: boolean
  /** Has a System; always false for the console. */
  readonly bound: boolean
  /** Whether a workflow is open to the asker now. */
  mayUse(module: string): boolean
  /** Why it is not; null: it is. */
  whyClosed?(module: string): FailureCode | null
  /** Why a player is not bound; `system:not_bound` where nothing is said. */
  readonly unbound?: FailureCode | null
  readonly suggestions: CommandSuggestions
}
