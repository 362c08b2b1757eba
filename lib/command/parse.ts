import { isLongerThan } from '../core/code-points.js'
import type { FailureCode } from '../core/failure.js'
import { fail, ok, type Result } from '../core/result.js'
import { readArgument } from './argument.js'
import {
  commandAt,
  isVisible,
  visibleChildren,
  type ArgumentNode,
  type CommandArgs,
  type CommandNode,
} from './node.js'
import type { CommandSource } from './source.js'
import { asciiLower, pointAt, skipSpaces, wordEnd } from './span.js'
import { usageText } from './usage.js'

/** Code points that what a player says in one line may have: a text argument, the command's words not counted. */
export const INPUT_LIMIT = 1_000
/** Code points of a whole line: no command's own words need more beside a text. */
const LINE_LIMIT = INPUT_LIMIT + 64

/** A line that the grammar accepts, as data. */
export interface ParsedCommand {
  readonly id: string
  readonly args: CommandArgs
}

/** One node further: which, the value it read (none for a literal), and the index behind it. */
export interface Step {
  readonly node: CommandNode
  readonly value?: string | number
  readonly end: number
}

/**
 * Reads a line, without the root's own word. A word that is a visible literal is nothing else: what follows it must fit,
 * or the error points there. The exception is a literal that takes nothing, followed by words, beside a free text: "help
 * me with a bed" is a sentence. Only a word that is no visible literal is tried as an argument, in order.
 * Fails with `system:input_too_long`, `system:unknown_command`, `system:bad_argument`, `system:missing_argument`, or
 * what a node's `denied` says.
 */
export function parse(root: CommandNode, input: string, source: CommandSource): Result<ParsedCommand> {
  const tooLong = fail('system:input_too_long', { limit: INPUT_LIMIT })
  if (isLongerThan(input, LINE_LIMIT)) return tooLong
  const args = Object.create(null) as Record<string, string | number | boolean>
  const path = [root]
  let node = root
  let at = skipSpaces(input, 0)
  while (at < input.length) {
    const step = stepFrom(node, { input, at }, source)
    if (!step.ok) return step
    node = step.value.node
    if (typeof step.value.value === 'string' && isLongerThan(step.value.value, INPUT_LIMIT)) return tooLong
    path.push(node)
    Object.assign(args, node.sets)
    if (node.kind === 'argument' && step.value.value !== undefined)
      args[node.as ?? node.name] = step.value.value
    at = skipSpaces(input, step.value.end)
  }
  const id = commandAt(node, source)
  if (id !== undefined) return ok({ id, args })
  return fail('system:missing_argument', { usage: usageText(root, path[1], source) })
}

interface TextAt {
  readonly input: string
  readonly at: number
}

/** Takes the child of `node` that the text at `at` stands for. */
export function stepFrom(node: CommandNode, text: TextAt, source: CommandSource): Result<Step> {
  const literal = literalAt(node, text)
  if (literal !== undefined && isVisible(literal, source)) {
    const end = wordEnd(text.input, text.at)
    return ok(sentenceFrom(node, literal, { ...text, source }) ?? { node: literal, end })
  }
  const code = denial(node, text, source)
  return code === null ? stepArgument(node, text, source) : fail(code)
}

function literalAt(node: CommandNode, { input, at }: TextAt): CommandNode | undefined {
  const word = asciiLower(input.slice(at, wordEnd(input, at)))
  return node.children.find((child) => child.kind === 'literal' && child.name === word)
}

/** What those are told who type a literal that they don't see; null where there is none, or nothing to tell. */
function denial(node: CommandNode, text: TextAt, source: CommandSource): FailureCode | null {
  const literal = literalAt(node, text)
  return literal === undefined || isVisible(literal, source) ? null : (literal.denied?.(source) ?? null)
}

/** Whether the words behind a literal are a command that is refused: it is no sentence and must not go to a model. */
const isRefused = (node: CommandNode, text: TextAt, source: CommandSource): boolean =>
  denial(node, text, source) !== null ||
  node.children.some((child) => {
    if (child.kind === 'literal' || (child.denied?.(source) ?? null) === null) return false
    const read = readArgument(child.type, text.input, text.at)
    if (read === undefined) return false
    const at = skipSpaces(text.input, read.end)
    return at === text.input.length || literalAt(child, { ...text, at }) !== undefined
  })

/** The free text beside a literal that takes nothing, when words follow it. */
function sentenceFrom(
  node: CommandNode,
  literal: CommandNode,
  { input, at, source }: TextAt & { readonly source: CommandSource },
): Step | undefined {
  const next = skipSpaces(input, wordEnd(input, at))
  if (next === input.length || visibleChildren(literal, source).length > 0) return undefined
  if (isRefused(literal, { input, at: next }, source)) return undefined
  for (const child of node.children) {
    if (child.kind === 'literal' || child.type.kind !== 'text' || !isVisible(child, source)) continue
    const read = readArgument(child.type, input, at)
    if (read !== undefined) return { node: child, ...read }
  }
  return undefined
}

function stepArgument(node: CommandNode, { input, at }: TextAt, source: CommandSource): Result<Step> {
  let mistaken: ArgumentNode | undefined
  let refusal: FailureCode | null = null
  for (const child of node.children) {
    if (child.kind === 'literal') continue
    if (isVisible(child, source)) {
      const read = readArgument(child.type, input, at)
      if (read !== undefined && (child.accept?.(source, read.value) ?? true))
        return ok({ node: child, ...read })
      mistaken ??= child
    } else refusal ??= child.denied?.(source) ?? null
  }
  const end = wordEnd(input, at)
  const where = pointAt(input, end)
  if (mistaken !== undefined) return fail('system:bad_argument', { argument: mistaken.name, ...where })
  if (refusal !== null) return fail(refusal)
  return fail('system:unknown_command', where)
}
