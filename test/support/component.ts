/** Components as clients receive them, turned back into plain data for comparison. */
import type { Component } from '../../lib/text/index.js'

const DECORATIONS = new Set(['bold', 'italic', 'underlined', 'strikethrough', 'obfuscated'])

/** A packet's component field, a JSON string or an NBT tag, as a component: booleans, boxed and bare values undone. */
export function decodeComponent(wire: unknown): Component {
  const value: unknown = typeof wire === 'string' ? JSON.parse(wire) : simplify(wire)
  return asComponent(value)
}

/** An NBT tag without its types. */
export function simplify(tag: unknown): unknown {
  const { type, value } = tag as { type: string; value: unknown }
  return simplifyValue(type, value)
}

function simplifyValue(type: string, value: unknown): unknown {
  if (type === 'compound')
    return Object.fromEntries(Object.entries(value as object).map(([key, tag]) => [key, simplify(tag)]))
  if (type !== 'list') return value
  const list = value as { type: string; value: unknown[] }
  return list.value.map((member) => simplifyValue(list.type, member))
}

function asComponent(value: unknown): Component {
  if (typeof value === 'string' || typeof value === 'number') return { text: String(value) }
  if (Array.isArray(value)) return { text: '', extra: value.map(asComponent) }
  const source = value as Record<string, unknown>
  if ('' in source) return asComponent(source[''])
  const members = Object.entries(source).map(([key, member]): [string, unknown] => {
    if (DECORATIONS.has(key)) return [key, Boolean(member)]
    if (key === 'text') return [key, String(member)]
    if (key === 'extra' || key === 'with') return [key, (member as unknown[]).map(asComponent)]
    if (key !== 'hoverEvent') return [key, member]
    const hover = member as { action: string; contents: unknown }
    return [key, { action: hover.action, contents: asComponent(hover.contents) }]
  })
  return Object.fromEntries(members) as unknown as Component
}

/** Every component of the tree, the root first, hover texts left out. */
export function allParts(component: Component): Component[] {
  const inner = [...(component.extra ?? []), ...('translate' in component ? (component.with ?? []) : [])]
  return [component, ...inner.flatMap(allParts)]
}
