import { componentText, concat, type Component } from '../../text/index.js'
import { leavesOf } from './flow.js'

/** What the surface can't do, so that it has to be read. */
export interface Unable {
  /** Show something when it is pointed at. */
  readonly hover?: boolean
  /** Do something when words are clicked; `suggest`: nothing but writing into the chat box. */
  readonly click?: 'suggest' | 'all'
}

/** The component for such a surface: hover texts and commands stand behind the words they belong to. */
export function spelledOut(component: Component, unable: Unable): Component {
  const parts: Component[] = []
  let hover: Component['hoverEvent']
  let click: Component['clickEvent']
  let words = ''
  const note = (text: string): void => {
    if (text !== '' && !words.includes(text)) parts.push({ text: ` (${text})`, color: 'dark_gray' })
  }
  for (const leaf of [...leavesOf(component), { text: '' }] as readonly Component[]) {
    if (leaf.hoverEvent !== hover && hover !== undefined && unable.hover === true)
      note(componentText(hover.contents))
    if (leaf.clickEvent !== click) {
      if (click !== undefined && isUnable(click, unable)) note(click.value.trim())
      words = ''
    }
    ;({ hoverEvent: hover, clickEvent: click } = leaf)
    words += componentText(leaf)
    parts.push(without(leaf, unable))
  }
  return concat(parts.slice(0, -1))
}

const isUnable = ({ action }: NonNullable<Component['clickEvent']>, { click }: Unable): boolean =>
  click === 'all' || (click === 'suggest' && action === 'suggest_command')

function without(leaf: Component, unable: Unable): Component {
  const { hoverEvent, clickEvent, ...rest } = leaf
  return {
    ...rest,
    ...(hoverEvent === undefined || unable.hover === true ? {} : { hoverEvent }),
    ...(clickEvent === undefined || isUnable(clickEvent, unable) ? {} : { clickEvent }),
  }
}
