import type { Identifier } from '../core/ids.js'
import type { Message } from '../text/index.js'

/** A module's subcommand of `/system`; its argument, if any, takes the rest of the line. */
export interface CommandDeclaration {
  /** Lower case; see `declarationProblem`. */
  readonly name: string
  /**
   * What follows the name: nothing, or one text argument with its name in usage lines. Without an optional one the module's
   * `fromCommand` is given an empty text.
   */
  readonly argument?: { readonly name: string; readonly suggest?: 'item'; readonly optional?: true }
}

/** A declaration together with whose it is and its line in help. */
export interface ModuleCommand {
  readonly module: Identifier
  readonly command: CommandDeclaration
  readonly help: Message
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/

/** Why a declaration can't be taken beside the names already taken, for the log; null when it can. */
export function declarationProblem(
  { name, argument }: CommandDeclaration,
  taken: ReadonlySet<string>,
): string | null {
  if (!NAME.test(name)) return `command name ${JSON.stringify(name)} is not of the form ${NAME.source}`
  if (taken.has(name)) return `command name "${name}" is taken`
  if (argument !== undefined && !NAME.test(argument.name))
    return `argument name ${JSON.stringify(argument.name)} is not of the form ${NAME.source}`
  return null
}
