import { z } from 'zod'
import { identifierSchema } from '../../codec/index.js'
import type { CardAction, CardEntry, CardLine, CardValue } from '../card.js'
import {
  filled,
  holds,
  listAt,
  numberAt,
  numberSchema,
  pathSchema,
  TemplateError,
  textSchema,
  whenSchema,
  type Scope,
} from './bindings.js'
import { TEMPLATE_LIMITS } from './limits.js'
import type { Built, Sketch } from './sketch.js'
import { itemOf, itemSchema, messageOf, valueOf, valueSchema, wordsOf, wordsSchema } from './words.js'

/** A decoded node; its members are those of its kind. */
export interface TemplateNode {
  readonly type: string
  readonly when?: string | undefined
}

/** Where a node is drawn, and what its names mean. */
interface Place {
  readonly sketch: Sketch
  readonly scope: Scope
}

interface NodeKind {
  readonly shape: z.ZodRawShape
  draw(node: TemplateNode, place: Place): void
}

/** `shape`: members beside `type` and `when`. */
const kind = <S extends z.ZodRawShape>(
  shape: S,
  draw: (node: z.infer<z.ZodObject<S>>, place: Place) => void,
): NodeKind => ({
  shape,
  // decoded by this very shape
  draw: (node, place) => draw(node as TemplateNode & z.infer<z.ZodObject<S>>, place),
})

const tone = z.enum(['normal', 'muted', 'good', 'bad', 'accent']).optional()
export const nodesSchema: z.ZodType<readonly TemplateNode[]> = z
  .array(z.lazy((): z.ZodType<TemplateNode> => nodeSchema))
  .max(TEMPLATE_LIMITS.nodes)
/** What pressing does: a button of the card's type by id or number, or what asks nobody. */
const pressSchema = z.union([
  z.string().min(1).max(128),
  z.int().min(0).max(999_999),
  z.strictObject({ suggest: textSchema }),
  z.strictObject({
    show: z.union([z.enum(['close', 'back', 'pin']), z.strictObject({ page: z.int().min(0) })]),
  }),
])

/** Every kind of node. */
const NODE_KINDS: Readonly<Record<string, NodeKind>> = {
  text: kind({ text: wordsSchema, tone }, ({ text, tone }, { sketch, scope }) => {
    const words = wordsOf(text, scope)
    sketch.line(
      typeof words === 'string'
        ? { kind: 'text', text: words, ...toned(tone) }
        : { kind: 'message', message: messageOf(text, scope), ...toned(tone) },
    )
  }),
  items: kind({ items: z.array(itemSchema).max(TEMPLATE_LIMITS.nodes) }, ({ items }, { sketch, scope }) => {
    for (const item of items) sketch.line({ kind: 'item', ...itemOf(item, scope) })
  }),
  icons: kind(
    { label: wordsSchema, icons: z.array(itemSchema).min(1).max(TEMPLATE_LIMITS.values), tone },
    ({ label, icons, tone }, { sketch, scope }) => {
      const value = icons.map((icon) => itemOf(icon, scope))
      sketch.line({ kind: 'row', label: messageOf(label, scope), value, ...toned(tone) })
    },
  ),
  row: kind(
    {
      label: wordsSchema,
      value: z.union([valueSchema, z.array(valueSchema).min(1).max(TEMPLATE_LIMITS.values)]),
      tone,
      suggest: textSchema.optional(),
    },
    ({ label, value, tone, suggest }, { sketch, scope }) => {
      const values = [value].flat().map((one) => valueOf(one, scope))
      sketch.line({
        kind: 'row',
        label: messageOf(label, scope),
        value: values,
        ...toned(tone),
        ...(suggest === undefined ? {} : { suggest: filled(suggest, scope) }),
      })
    },
  ),
  progress: kind(
    { label: wordsSchema.optional(), value: numberSchema, max: numberSchema.optional(), tone },
    ({ label, value, max = 1, tone }, { sketch, scope }) => {
      const most = numberAt(max, scope)
      sketch.line({
        kind: 'progress',
        ...(label === undefined ? {} : { label: messageOf(label, scope) }),
        share: most === 0 ? 0 : numberAt(value, scope) / most,
        ...toned(tone),
      })
    },
  ),
  separator: kind({}, (_, { sketch }) => {
    sketch.line({ kind: 'separator' })
  }),
  section: kind({ label: wordsSchema, nodes: nodesSchema }, ({ label, nodes }, { sketch, scope }) => {
    sketch.line({ kind: 'section', label: messageOf(label, scope) })
    drawNodes(nodes, { sketch, scope }, 'nodes')
  }),
  list: kind(
    {
      each: pathSchema,
      as: z
        .string()
        .regex(/^[a-z][A-Za-z0-9_]{0,31}$/)
        .optional(),
      nodes: nodesSchema,
    },
    ({ each, as = 'it', nodes }, { sketch, scope }) => {
      for (const [index, element] of listAt(each, scope).entries()) {
        if (!sketch.step()) return
        const names = new Map([...scope.names, [as, element], ['index', index], ['number', index + 1]])
        drawNodes(nodes, { sketch, scope: { ...scope, names } }, 'nodes')
      }
    },
  ),
  grid: kind({ nodes: nodesSchema }, ({ nodes }, { sketch, scope }) => {
    const first = sketch.lines.length
    drawNodes(nodes, { sketch, scope }, 'nodes')
    sketch.lines.push(...sketch.lines.splice(first).map(asEntry))
  }),
  entry: kind(
    {
      icon: itemSchema.optional(),
      title: valueSchema,
      about: z.array(valueSchema).max(TEMPLATE_LIMITS.values).optional(),
      press: pressSchema.optional(),
      tone,
      marked: z.boolean().optional(),
    },
    (node, { sketch, scope }) => {
      const action = node.press === undefined ? undefined : pressed(node.press, { sketch, scope })?.action
      const entry: CardEntry = {
        ...(node.icon === undefined ? {} : { icon: itemOf(node.icon, scope) }),
        title: valueOf(node.title, scope),
        ...(node.about === undefined ? {} : { about: node.about.map((value) => valueOf(value, scope)) }),
        ...(action === undefined ? {} : { action }),
        ...toned(node.tone),
        ...(node.marked === undefined ? {} : { isMarked: node.marked }),
      }
      sketch.line({ kind: 'entry', ...entry })
    },
  ),
  button: kind(
    {
      press: pressSchema,
      label: wordsSchema.optional(),
      hover: wordsSchema.optional(),
      icon: identifierSchema.optional(),
      place: z.enum(['body', 'footer']).optional(),
    },
    (node, { sketch, scope }) => {
      const found = pressed(node.press, { sketch, scope })
      if (found === undefined) return
      const label = node.label === undefined ? found.button?.label : messageOf(node.label, scope)
      if (label === undefined) throw new TemplateError('a button that is not of the card needs a label')
      sketch.button({
        ...found.button,
        action: found.action,
        label,
        ...(node.hover === undefined ? {} : { hover: messageOf(node.hover, scope) }),
        ...(node.icon === undefined ? {} : { icon: node.icon }),
        ...(node.place === undefined ? {} : { place: node.place }),
      })
    },
  ),
}

/** One node of any kind. */
const nodeSchema: z.ZodType<TemplateNode> = z.discriminatedUnion('type', optionsOf(NODE_KINDS))

function optionsOf(kinds: typeof NODE_KINDS) {
  const option = ([type, { shape }]: readonly [string, NodeKind]) =>
    z.strictObject({ type: z.literal(type), ...shape, when: whenSchema.optional() })
  const [first, ...rest] = Object.entries(kinds).map(option)
  if (first === undefined) throw new TypeError('no kind of node')
  return [first, ...rest] as const
}

/** Draws them one after the other, until the sketch is full. */
export function drawNodes(nodes: readonly TemplateNode[], place: Place, member: string): void {
  const { sketch, scope } = place
  for (const [index, node] of nodes.entries()) {
    if (!sketch.step()) return
    sketch.place.push(member, index)
    if (node.when === undefined || holds(node.when, scope)) NODE_KINDS[node.type]?.draw(node, place)
    // what throws leaves its place behind
    sketch.place.splice(-2)
  }
}

/** Undefined: the card has no such button now. */
function pressed(press: z.infer<typeof pressSchema>, { sketch, scope }: Place): Built | undefined {
  if (typeof press === 'number') return sketch.find(String(press))
  if (typeof press === 'string') return sketch.find(filled(press, scope))
  const action: CardAction =
    'suggest' in press
      ? { kind: 'suggest', command: filled(press.suggest, scope) }
      : { kind: 'local', show: press.show }
  return { action }
}

/** A line as something of its own, which a window has a slot for. */
function asEntry(line: CardLine): CardLine {
  const entry = (title: CardValue, about?: CardEntry['about']): CardLine => ({
    kind: 'entry',
    title,
    ...(about === undefined ? {} : { about }),
    ...('tone' in line ? toned(line.tone) : {}),
  })
  if (line.kind === 'text') return entry(line.text)
  if (line.kind === 'message') return entry(line.message)
  if (line.kind === 'row') return entry(line.label, [line.value].flat())
  return line
}

const toned = <T>(tone: T | undefined): { readonly tone?: T } => (tone === undefined ? {} : { tone })
