export type {
  CardAction,
  CardButton,
  CardData,
  CardItem,
  CardLine,
  CardRef,
  CardTone,
  CardType,
  CardUpdate,
  CardValue,
  CardView,
} from './card.js'
export { CardBook, type CardBookOptions, type Presented } from './card-book.js'
export { CardTypes, type BrokenCard } from './card-types.js'
export { ButtonTokens, type ButtonTokensOptions, type TokenTarget } from './tokens.js'
