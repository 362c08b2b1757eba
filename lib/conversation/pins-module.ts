import { z } from 'zod'
import { FAST_POLICY, failedResult, shown, type AgentModule, type Feature } from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { failure } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import { PINNED_CARD, pinList, pinListCard, pinnedCard, PINS_MODULE, type PinViewer } from './pins-card.js'
import { pinsOf } from './pins.js'

const actionSchema = z.strictObject({ open: z.string().max(64).optional() })
type PinsAction = z.infer<typeof actionSchema>

/** `/system pins`: the asking player's pinned cards, or one of them as it was. */
const pinsModule = (cards: () => PinViewer): AgentModule<PinsAction> => ({
  id: PINS_MODULE,
  version: 1,
  action: actionSchema,
  description: 'Lists the cards that the asking player has pinned, to open them again.',
  help: { key: 'system.command.help.pins' },
  workbench: { icon: identifier('minecraft:item_frame'), title: { key: 'system.workbench.pins' } },
  tools: [],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    fromCommand: () => ({}),
    fromButton: ({ open }) => (open === undefined ? {} : { open }),
  },
  execute(context, { open }) {
    const pins = pinsOf(context.store())
    if (open === undefined) return Promise.resolve(shown(cardOf(pinListCard, pinList(pins, cards()))))
    const pin = pins.find(({ id }) => id === open)
    if (pin === undefined) return Promise.resolve(failedResult(failure('system:pin_gone')))
    const data = { id: pin.id, card: pin.card, canRepeat: pin.ask !== null }
    return Promise.resolve(shown({ type: PINNED_CARD, data }))
  },
})

/** A player's pinned cards: module and cards. Types of cards are there only when all are registered. */
export function pinsFeature(cards: () => PinViewer): Feature {
  return (registration) => {
    registration.cardType(pinListCard)
    registration.cardType(pinnedCard(cards))
    registration.module(pinsModule(cards))
  }
}
