import { z } from 'zod'
import { identifier } from '../../core/ids.js'
import { CARD_SURFACES } from '../../core/own-settings.js'
import type { RegistryType } from '../../registry/index.js'
import type { CardView } from '../card.js'
import { TemplateError, type Scope } from './bindings.js'
import { drawNodes, nodesSchema } from './nodes.js'
import { Sketch } from './sketch.js'
import { messageOf, wordsSchema } from './words.js'

const templateSchema = z.strictObject({
  /** Absent: the title that the type gives; null: none. */
  title: wordsSchema.nullable().optional(),
  surface: z.enum(CARD_SURFACES).optional(),
  body: nodesSchema,
  /** What becomes of the type's buttons that no node names: they follow (default), or aren't there. */
  otherButtons: z.enum(['shown', 'hidden']).default('shown'),
})
export type CardTemplate = z.infer<typeof templateSchema>

/** Templates of cards: each has the id of the card type whose form it is. */
export const CARD_TEMPLATES: RegistryType<CardTemplate> = {
  id: identifier('system:card'),
  folder: 'system/card',
  schema: templateSchema,
}

/**
 * The view that a template makes of a card's parameters and of what its type built, whose buttons it arranges. Throws a
 * `TemplateError` that names the place where it can't be filled.
 */
export function drawTemplate(template: CardTemplate, parameters: unknown, built: CardView): CardView {
  const { title, surface = built.surface, body, otherButtons } = template
  const sketch = new Sketch(built)
  const scope: Scope = { parameters, names: new Map() }
  try {
    drawNodes(body, { sketch, scope }, 'body')
    if (sketch.isCut) sketch.line({ kind: 'message', message: { key: 'system.card.cut' }, tone: 'muted' })
    sketch.place.push('title')
    return {
      ...(surface === undefined ? {} : { surface }),
      title: title === undefined ? built.title : title === null ? null : messageOf(title, scope),
      lines: sketch.lines,
      buttons: [...sketch.buttons, ...(otherButtons === 'shown' ? sketch.unused : [])],
    }
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown
    throw new TemplateError(`/${sketch.place.join('/')}: ${thrown.message}`)
  }
}
