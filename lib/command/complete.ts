import { isLongerThan } from '../core/code-points.js'
import type { Message } from '../text/index.js'
import { visibleChildren, type ArgumentNode, type CommandNode } from './node.js'
import { INPUT_LIMIT, stepFrom } from './parse.js'
import type { CommandSource } from './source.js'
import { asciiLower, skipSpaces, wordEnd } from './span.js'

/** Offers that one answer holds at most. */
export const MATCH_LIMIT = 64

/** One offer: what would stand in place of the completed part, and what it does, where that is known. */
export interface CompletionMatch {
  readonly match: string
  readonly help?: Message
}

/** Offers for the part of the input from `start` (UTF-16 index) over `length`. */
export interface Completion {
  readonly start: number
  readonly length: number
  readonly matches: readonly CompletionMatch[]
}

/**
 * What may stand at the end of the line (without the root's own word), for this source. Walks the line as `parse`
 * does, so that what can't be run is not offered either. Every match begins with what is typed, in any case, and
 * differs from it.
 */
export function complete(root: CommandNode, input: string, source: CommandSource): Completion {
  const nothing = { start: input.length, length: 0, matches: [] }
  if (isLongerThan(input, INPUT_LIMIT)) return nothing
  let node = root
  let at = skipSpaces(input, 0)
  while (wordEnd(input, at) < input.length) {
    const step = stepFrom(node, { input, at }, source)
    if (!step.ok) return nothing
    node = step.value.node
    if (node.kind === 'argument' && node.type.kind === 'text')
      return answer(input, at, offersOf(node, source, input.slice(at)))
    at = skipSpaces(input, step.value.end)
  }
  const partial = input.slice(at)
  return answer(
    input,
    at,
    visibleChildren(node, source).flatMap((child) => offersOf(child, source, partial)),
  )
}

function answer(input: string, start: number, offers: readonly CompletionMatch[]): Completion {
  const partial = input.slice(start)
  const folded = asciiLower(partial)
  const seen = new Set<string>()
  const matches: CompletionMatch[] = []
  for (const offer of offers) {
    if (matches.length === MATCH_LIMIT) break
    if (offer.match === partial || seen.has(offer.match) || !asciiLower(offer.match).startsWith(folded))
      continue
    seen.add(offer.match)
    matches.push(offer)
  }
  return { start, length: partial.length, matches }
}

function offersOf(node: CommandNode, source: CommandSource, partial: string): readonly CompletionMatch[] {
  if (node.kind === 'literal')
    return [node.help === undefined ? { match: node.name } : { match: node.name, help: node.help }]
  const words = node.suggest?.(source, partial) ?? suggestedByType(node, source, partial)
  // a name with white space in it can't be typed as one word
  const typeable = node.type.kind === 'text' ? words : words.filter((word) => /^\S+$/.test(word))
  return typeable.map((match) => ({ match }))
}

function suggestedByType(node: ArgumentNode, source: CommandSource, partial: string): readonly string[] {
  if (node.type.kind === 'player') return source.suggestions.players()
  return node.type.kind === 'item' ? suggestItems(source, partial) : []
}

/** Item ids as players type them: without `minecraft:` unless a namespace is being typed. */
export function suggestItems(source: CommandSource, partial: string): readonly string[] {
  const ids = source.suggestions.items()
  return partial.includes(':') ? ids : ids.map((id) => id.replace(/^minecraft:/, ''))
}
