import {
  complete,
  type CommandNode,
  type CommandSource,
  type CompletionMatch,
} from '../../../lib/command/index.js'
import { spellings } from './root-command.js'

/** Offers for a line as a client typed it; `start` counts UTF-16 units from its beginning, the slash included. */
export interface LineCompletion {
  readonly start: number
  readonly length: number
  readonly matches: readonly CompletionMatch[]
}

/** Offers for a line under our root, or null when the line isn't ours. */
export function completeLine(root: CommandNode, line: string, source: CommandSource): LineCompletion | null {
  const [typed, word] = /^\/?(\S+)(?=\s)/.exec(line) ?? []
  if (typed === undefined || word === undefined || !spellings(root.name).includes(word)) return null
  const { start, length, matches } = complete(root, line.slice(typed.length), source)
  return { start: typed.length + start, length, matches }
}
