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
