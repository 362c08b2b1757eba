export type {
  CardAction,
  CardButton,
  CardData,
  CardLine,
  CardRef,
  CardTone,
  CardType,
  CardUpdate,
  CardView,
} from './card.js'
