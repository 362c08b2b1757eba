import type { Component, Style, TextComponent, TranslateComponent } from './component.js'
import { plainText } from './plain.js'

/** Deeper components are treated as absent; clients refuse them long before (vanilla: 512, prismarine-chat: 8). */
const MAX_DEPTH = 64

/**
 * Text that the client translates. `fallback` is literal text for clients that don't know the key, without
 * placeholders: its percent signs are doubled, because clients read a fallback as a template.
 */
export function translate(
  key: string,
  fallback: string,
  args: readonly Component[] = [],
): TranslateComponent {
  const base = { translate: key, fallback: plainText(fallback).replaceAll('%', '%%') }
  return args.length === 0 ? base : { ...base, with: args }
}

/** The parts one after the other under a common style; one unstyled part stays itself. */
export function concat(parts: readonly Component[], style?: Style): Component {
  const [first] = parts
  if (first !== undefined && parts.length === 1 && style === undefined) return first
  const root: TextComponent = { ...style, text: '' }
  return parts.length === 0 ? root : { ...root, extra: parts }
}

/** The parts with the separator between each two. */
export function join(parts: readonly Component[], separator: Component): Component {
  return concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])))
}

/** The component under another style; members of `style` win over its own. */
export const styled = (component: Component, style: Style): Component => ({ ...component, ...style })

/** What a reader without a client's language file sees: the text of all parts, fallbacks for translations. */
export const componentText = (component: Component): string => textOf(component, 0)

function textOf(component: Component, depth: number): string {
  if (depth > MAX_DEPTH) return ''
  let text = 'translate' in component ? translated(component, depth) : component.text
  for (const part of component.extra ?? []) text += textOf(part, depth + 1)
  return text
}

function translated(component: TranslateComponent, depth: number): string {
  if (component.fallback === undefined) return component.translate
  if (!component.fallback.includes('%')) return component.fallback
  const args = component.with ?? []
  let next = 0
  // vanilla's template language: %s in order, %2$s by position, %% for one percent sign; each replaced once
  return component.fallback.replace(
    /%(?:(\d{1,2})\$)?([s%])/g,
    (whole: string, position: string | undefined, kind) => {
      if (kind === '%') return '%'
      const arg = args[position === undefined ? next++ : Number(position) - 1]
      return arg === undefined ? whole : textOf(arg, depth + 1)
    },
  )
}
