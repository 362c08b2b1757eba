import { loreLine, type WindowPage, type WindowSlot } from '../../../lib/cards/render/index.js'
import { identifier } from '../../../lib/core/ids.js'
import type { Component } from '../../../lib/text/index.js'

const CLOCK = identifier('minecraft:clock')

/** The page while an action of its card runs: each button that asks says that it waits, the pressed one looks like it. */
export function asWaiting(
  page: WindowPage,
  text: Component,
  { asking, pressed }: { readonly asking: ReadonlySet<string>; readonly pressed: string | undefined },
): WindowPage {
  const slots = [...page.slots].map(([at, slot]): [number, WindowSlot] => {
    if (slot.token === undefined || !asking.has(slot.token)) return [at, slot]
    return [at, { ...slot, lore: [loreLine(text)], ...(slot.token === pressed ? { icon: CLOCK } : {}) }]
  })
  return { ...page, slots: new Map(slots) }
}
