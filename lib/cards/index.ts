export type {
  CardAction,
  CardButton,
  CardData,
  CardEntry,
  CardItem,
  CardLine,
  CardRef,
  CardTone,
  CardType,
  CardUpdate,
  CardValue,
  CardView,
} from './card.js'
export { cardOf } from './card.js'
export { CardBook } from './card-book.js'
export { CardFact } from './card-fact.js'
export { CardTypes } from './card-types.js'
export { ButtonTokens, type TokenTarget } from './tokens.js'
