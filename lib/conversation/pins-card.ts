import { z } from 'zod'
import type { CardButton, CardData, CardLine, CardType, CardView } from '../cards/index.js'
import { identifierSchema } from '../codec/index.js'
import { clipCodePoints } from '../core/code-points.js'
import { identifier } from '../core/ids.js'
import { parseJson } from '../core/json.js'
import type { Message } from '../text/index.js'
import { MAX_PINS, type Pin } from './pins.js'

export const PINS_MODULE = identifier('system:pins')
/** Type of a card that shows a pinned one. */
export const PINNED_CARD = identifier('system:pinned')

/** Longest literal text that stands for a card without a title, code points. */
const TITLE_LIMIT = 60

const listSchema = z.strictObject({
  pins: z.array(z.strictObject({ id: z.string(), title: z.json(), day: z.string().max(10) })).max(MAX_PINS),
})
type PinList = z.infer<typeof listSchema>

const button = (key: string, params: Readonly<Record<string, string>>): CardButton => ({
  label: { key: `system.pins.${key}` },
  hover: { key: `system.pins.${key}_hover` },
  action: { kind: 'server', module: PINS_MODULE, params },
})

/** The pinned cards of a player, each of which can be opened. */
export const pinListCard: CardType<PinList> = {
  id: PINS_MODULE,
  schema: listSchema,
  build: ({ pins }) => ({
    title: { key: 'system.pins.title', params: { count: pins.length, limit: MAX_PINS } },
    lines:
      pins.length === 0
        ? [{ kind: 'message', message: { key: 'system.pins.empty' }, tone: 'muted' }]
        : pins.map(({ id, title, day }) => ({
            kind: 'entry',
            icon: { item: identifier('minecraft:paper'), name: 'Paper' },
            // made by `pinList`
            title: title as unknown as Message | string,
            about: [day],
            action: { kind: 'server', module: PINS_MODULE, params: { open: id } },
          })),
    buttons: [],
  }),
}

/** What looks at a card's data. */
export interface PinViewer {
  view(card: CardData): CardView
}

/** The list of these, the newest first. */
export function pinList(pins: readonly Pin[], cards: PinViewer): PinList {
  return {
    pins: pins.toReversed().map(({ id, card, at }) => ({
      id,
      // a message is plain data
      title: parseJson(JSON.stringify(titleOf(cards.view(card)))) as PinList['pins'][number]['title'],
      day: new Date(at).toISOString().slice(0, 10),
    })),
  }
}

/** What names a card: its title, else what it says first. */
function titleOf({ title, lines }: CardView): Message | string {
  const message = title ?? lines.map(messageOf).find((found) => found !== null)
  if (message !== undefined && message !== null) return message
  const text = lines.flatMap((line) => (line.kind === 'text' ? [line.text] : []))[0] ?? ''
  return clipCodePoints(text.split('\n')[0] ?? '', TITLE_LIMIT)
}

const messageOf = (line: CardLine) => (line.kind === 'message' ? line.message : null)

const pinnedSchema = z.strictObject({
  id: z.string(),
  card: z.strictObject({ type: identifierSchema, data: z.json() }),
  /** Whether there is a request that makes it anew. */
  canRepeat: z.boolean(),
})

/** A pinned card as it was: nothing of it can be pressed, but what stands behind it can be asked anew. */
export const pinnedCard = (cards: () => PinViewer): CardType<z.infer<typeof pinnedSchema>> => ({
  id: PINNED_CARD,
  schema: pinnedSchema,
  build: ({ id, card, canRepeat }) => {
    // a pin of a pin would draw itself
    const view: CardView =
      card.type === PINNED_CARD ? { title: null, lines: [], buttons: [] } : cards().view(card)
    return {
      title: view.title,
      lines: [
        ...view.lines.map(inert),
        { kind: 'message', message: { key: 'system.pins.snapshot' }, tone: 'muted' },
      ],
      buttons: [
        ...(canRepeat ? [button('again', { again: id })] : []),
        button('remove', { remove: id }),
        button('list', {}),
      ],
    }
  },
})

function inert(line: CardLine): CardLine {
  if (line.kind === 'entry') {
    const { action: _, ...rest } = line
    return rest
  }
  if (line.kind !== 'row') return line
  const { suggest: _, ...rest } = line
  return rest
}
