/** What a click on a piece of text does. Built from our own code only, never from text of players or models. */
export interface ClickEvent {
  readonly action: 'run_command' | 'suggest_command' | 'change_page' | 'copy_to_clipboard'
  readonly value: string
}

/** What pointing at a piece of text shows. */
export interface HoverEvent {
  readonly action: 'show_text'
  readonly contents: Component
}

/** Vanilla's sixteen colour names, or `#rrggbb`. */
export type Color =
  | 'black'
  | 'dark_blue'
  | 'dark_green'
  | 'dark_aqua'
  | 'dark_red'
  | 'dark_purple'
  | 'gold'
  | 'gray'
  | 'dark_gray'
  | 'blue'
  | 'green'
  | 'aqua'
  | 'red'
  | 'light_purple'
  | 'yellow'
  | 'white'
  | `#${string}`

/** The decorations of a component; an absent one is inherited. */
export interface Style {
  readonly color?: Color
  readonly bold?: boolean
  readonly italic?: boolean
  readonly underlined?: boolean
  readonly strikethrough?: boolean
  readonly insertion?: string
  readonly clickEvent?: ClickEvent
  readonly hoverEvent?: HoverEvent
}

/** Literal text. Always made with `plain`, which removes what a client would interpret. */
export interface TextComponent extends Style {
  readonly text: string
  readonly extra?: readonly Component[]
}

/** Text that the client translates: names of items, blocks and entities. */
export interface TranslateComponent extends Style {
  readonly translate: string
  /** Shown by clients from 1.19.4 on when the key is unknown. */
  readonly fallback?: string
  readonly with?: readonly Component[]
  readonly extra?: readonly Component[]
}

/** A text component as plain data, in the form of Minecraft 1.16 to 1.21.4. */
export type Component = TextComponent | TranslateComponent

/** A parameter of a message: literal text, a number, another sentence, or a component such as an item's translated name. */
export type MessageParam = string | number | Component | Message

/** A sentence of a language file by its key; rendered in the reader's language when it is shown. */
export interface Message {
  readonly key: string
  readonly params?: Readonly<Record<string, MessageParam>>
}
