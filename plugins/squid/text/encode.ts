import {
  componentText,
  plain,
  wellFormed,
  type Component,
  type TranslateComponent,
} from '../../../lib/text/index.js'
import type { TextEra } from './era.js'
import { modifiedUtf8Bytes, toNbt, type NbtSource, type NbtTag } from './nbt.js'

/** A component as a packet field takes it. */
export type WireComponent = string | NbtTag

/** Bytes of one chat message, far below every limit of clients: 262,144 characters of JSON, 65,535 bytes a string. */
export const CHAT_BUDGET_BYTES = 32_768
/** No string in NBT may be longer; a budget below it keeps every string writable. */
const MAX_BUDGET_BYTES = 65_535
/** Deeper parts become plain text: prismarine-chat shows eight levels, vanilla refuses at 512. */
const MAX_DEPTH = 16
const ELLIPSIS: Component = { text: '…' }
/** Upper bound of what a node's braces, list headers and separators take in either form. */
const NODE_BYTES = 32

/**
 * The component for the wire: a JSON string or an NBT tag. Whatever it holds, the result serializes: lone surrogates
 * become U+FFFD, empty lists go, and what exceeds the budget is cut with an ellipsis. Translations that the client
 * can't know become their fallback's text where the version ignores fallbacks.
 */
export function encodeComponent(
  component: Component,
  era: TextEra,
  budgetBytes = CHAT_BUDGET_BYTES,
): WireComponent {
  const budget = { left: Math.min(budgetBytes, MAX_BUDGET_BYTES) - bytesOf(ELLIPSIS), cut: false }
  const fitted = fit(adapt(component, era, 0), budget) ?? { text: '' }
  const whole = budget.cut ? { text: '', extra: [fitted, ELLIPSIS] } : fitted
  if (!era.nbt) return JSON.stringify(whole)
  // a component consists of nothing but strings, booleans, lists and objects
  return toNbt(whole as unknown as Exclude<NbtSource, null | undefined>)
}

/** The component as clients of the era understand it: strings encodable, no empty lists, translations readable. */
function adapt(component: Component, era: TextEra, depth: number): Component {
  if (depth >= MAX_DEPTH) return plain(componentText(component), {}, { newlines: 'keep' })
  const { extra, hoverEvent, clickEvent, insertion, ...own } = readable(component, era)
  const inner = (parts: readonly Component[]): Component[] => parts.map((part) => adapt(part, era, depth + 1))
  return {
    ...('translate' in own ? adaptTranslate(own, inner) : { ...own, text: wellFormed(own.text) }),
    ...(insertion === undefined ? {} : { insertion: wellFormed(insertion) }),
    ...(clickEvent === undefined
      ? {}
      : { clickEvent: { ...clickEvent, value: wellFormed(clickEvent.value) } }),
    ...(hoverEvent === undefined
      ? {}
      : { hoverEvent: { ...hoverEvent, contents: adapt(hoverEvent.contents, era, depth + 1) } }),
    // vanilla refuses an empty list of parts
    ...(extra === undefined || extra.length === 0 ? {} : { extra: inner(extra) }),
  }
}

function adaptTranslate(
  own: TranslateComponent,
  inner: (parts: readonly Component[]) => Component[],
): TranslateComponent {
  const { with: args, fallback, ...rest } = own
  return {
    ...rest,
    ...(fallback === undefined ? {} : { fallback: wellFormed(fallback) }),
    ...(args === undefined || args.length === 0 ? {} : { with: inner(args) }),
  }
}

/** On versions without fallbacks an unknown key would be shown itself: its literal text stands in. */
function readable(component: Component, era: TextEra): Component {
  if (!('translate' in component) || era.fallback) return component
  const { translate: key, fallback, with: args, extra, ...style } = component
  const parts = extra === undefined ? {} : { extra }
  if (era.hasKey(key))
    return { ...style, ...parts, translate: key, ...(args === undefined ? {} : { with: args }) }
  const { text } = plain(
    componentText({
      translate: key,
      ...(fallback === undefined ? {} : { fallback }),
      ...(args === undefined ? {} : { with: args }),
    }),
  )
  return { ...style, ...parts, text }
}

interface Budget {
  left: number
  cut: boolean
}

/** The part of the component that the budget allows, in reading order; undefined when nothing is left for it. */
function fit(component: Component, budget: Budget): Component | undefined {
  if (budget.cut) return undefined
  const { extra, ...shell } = component
  const size = bytesOf(shell)
  if (size > budget.left) {
    budget.cut = true
    return shortened(shell, budget.left)
  }
  budget.left -= size
  const kept = (extra ?? []).flatMap((part) => fit(part, budget) ?? [])
  return kept.length === 0 ? shell : { ...shell, extra: kept }
}

/** A text gives as much of itself as fits, without its events; anything else is left out whole. */
function shortened(shell: Component, left: number): Component | undefined {
  if (!('text' in shell)) return undefined
  const { clickEvent: _click, hoverEvent: _hover, insertion: _insertion, ...style } = shell
  let room = left - bytesOf({ ...style, text: '' })
  let end = 0
  for (const point of shell.text) {
    room -= jsonBytes(point) - 2
    if (room < 0) break
    end += point.length
  }
  return end === 0 ? undefined : { ...style, text: shell.text.slice(0, end) }
}

// JSON needs at least the bytes of NBT for each member, and modified UTF-8 at least those of UTF-8: an upper bound
// for both forms
const jsonBytes = (value: unknown): number => modifiedUtf8Bytes(JSON.stringify(value))
const bytesOf = (shell: Component): number => NODE_BYTES + jsonBytes(shell)
