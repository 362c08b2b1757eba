import type { Message } from '../text/index.js'
import { commandAt, isVisible, visibleChildren, type CommandNode } from './node.js'
import type { CommandSource } from './source.js'

/** A line of help. */
export interface UsageLine {
  /** Such as `/system grant <system> [player]`; without the slash for the console. */
  readonly usage: string
  /** What a click puts into the chat line, ready for arguments. */
  readonly typed: string
  readonly help: Message
}

/** Turns an argument's name into the reader's word for it. */
export type ArgumentWord = (name: string) => string

/** The key of the word for an argument in usage lines; extensions may use names that have none. */
export const argumentWordKey = (name: string): string => `system.command.word.${name}`

/** The lines of help that the source may see: the root itself, then its commands in order. */
export function usage(
  root: CommandNode,
  source: CommandSource,
  word: ArgumentWord = (name) => name,
): readonly UsageLine[] {
  const prefix = rootText(root, source)
  const lines: UsageLine[] = []
  if (root.help !== undefined && isVisible(root, source) && commandAt(root, source) !== undefined)
    lines.push({ usage: prefix, typed: prefix, help: root.help })
  for (const node of visibleChildren(root, source)) {
    if (node.help === undefined) continue
    const typed = node.kind === 'literal' ? `${prefix} ${node.name}` : prefix
    const takesMore = node.kind === 'argument' || visibleChildren(node, source).length > 0
    lines.push({
      usage: `${prefix} ${label(node, word)}${rest(node, source, word)}`,
      typed: takesMore ? `${typed} ` : typed,
      help: node.help,
    })
  }
  return lines
}

/** The usage of one of the root's commands, or of the root when there is none yet. */
export function usageText(
  root: CommandNode,
  command: CommandNode | undefined,
  source: CommandSource,
): string {
  const plainWord: ArgumentWord = (name) => name
  const prefix = rootText(root, source)
  if (command === undefined) return `${prefix}${rest(root, source, plainWord)}`
  return `${prefix} ${label(command, plainWord)}${rest(command, source, plainWord)}`
}

// the console takes the same grammar without the slash
const rootText = (root: CommandNode, source: CommandSource): string =>
  source.kind === 'console' ? root.name : `/${root.name}`

const label = (node: CommandNode, word: ArgumentWord): string =>
  node.kind === 'literal' ? node.name : `<${word(node.name)}>`

/** What may follow a node, with a space before it: in square brackets when the line may also end at the node. */
function rest(node: CommandNode, source: CommandSource, word: ArgumentWord): string {
  const children = visibleChildren(node, source)
  const optional = commandAt(node, source) !== undefined
  const [only] = children
  if (only === undefined) return ''
  if (children.length > 1) {
    const choices = children.map((child) => `${label(child, word)}${rest(child, source, word)}`).join('|')
    return optional ? ` [${choices}]` : ` (${choices})`
  }
  const tail = rest(only, source, word)
  if (!optional) return ` ${label(only, word)}${tail}`
  // an optional argument is written [name], not [<name>]
  return ` [${only.kind === 'literal' ? only.name : word(only.name)}${tail}]`
}
