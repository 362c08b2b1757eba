export type {
  ClickEvent,
  Color,
  Component,
  HoverEvent,
  Message,
  MessageParam,
  Style,
  TextComponent,
  TranslateComponent,
} from './component.js'
export { parseCatalogue } from './catalogue.js'
export { componentText, concat, join, styled, translate } from './compose.js'
export { failureMessage } from './failure-message.js'
export { Languages, placeholders } from './languages.js'
export { clip, headUnits, plain, plainText, wellFormed, type PlainOptions } from './plain.js'
