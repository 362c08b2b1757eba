import type { Identifier } from '../../../lib/core/ids.js'
import type { Component } from '../../../lib/text/index.js'
import { encodeComponent } from '../text/index.js'
import type { HudParts } from './hud.js'

/** In the order of their numbers on the wire. */
const FRAMES = ['task', 'challenge', 'goal'] as const

/** A notice with an icon. The frame decides the line above the title and, for a challenge, a fanfare. */
export interface Toast {
  readonly title: Component
  /** An item; one that the version doesn't have is a book. */
  readonly icon: Identifier
  /** `task` unless given. */
  readonly frame?: (typeof FRAMES)[number] | undefined
}

/** Ids of ours alone. The root has no display, so that the entry below it appears on no tab of the client. */
const ROOT = 'system:toast/root'
const SHOWN = 'system:toast/shown'
const CRITERION = 'shown'
const TITLE_BUDGET_BYTES = 1_024
/** Epoch milliseconds as the two halves of an i64; no client shows when a toast was earned. */
const ANY_TIME = [0, 1] as const

/**
 * Packets that show a toast and leave nothing: an advancement is added, completed and removed. None of them resets, so
 * the advancements of others stay as they are.
 */
export function toastPackets({ serv, era }: HudParts) {
  const itemId = (item: string): number | undefined =>
    serv.registry.itemsByName[item.replace(/^minecraft:/, '')]?.id
  const icon = (item: Identifier) => {
    const id = { present: true, itemId: itemId(item) ?? itemId('book'), itemCount: 1 }
    if (!serv.supportFeature('itemsWithComponents')) return { ...id, nbtData: undefined }
    return { ...id, addedComponentCount: 0, removedComponentCount: 0, components: [], removeComponents: [] }
  }
  return (toast: Toast): readonly object[] => {
    const displayData = {
      title: encodeComponent(toast.title, era, TITLE_BUDGET_BYTES),
      description: encodeComponent({ text: '' }, era),
      icon: icon(toast.icon),
      frameType: FRAMES.indexOf(toast.frame ?? 'task'),
      // the unused bits have one name up to 1.20.4 and another after
      flags: { _unused: 0, unused: 0, hidden: 1, show_toast: 1, has_background_texture: 0 },
      backgroundTexture: undefined,
      xCord: 0,
      yCord: 0,
    }
    return [
      packet({ added: [entry(ROOT, {}), entry(SHOWN, { parentId: ROOT, displayData })] }),
      packet({ completed: SHOWN }),
      packet({ removed: [SHOWN, ROOT] }),
    ]
  }
}

function entry(key: string, { parentId, displayData }: { parentId?: string; displayData?: object }): object {
  return {
    key,
    value: {
      parentId,
      displayData,
      // up to 1.20.1; others don't read it
      criteria: [{ key: CRITERION, value: undefined }],
      requirements: [[CRITERION]],
      // sic: from 1.20 on
      sendsTelemtryData: false,
    },
  }
}

function packet(changes: {
  readonly added?: readonly object[]
  readonly completed?: string
  readonly removed?: readonly string[]
}): object {
  const { added = [], completed, removed = [] } = changes
  const done = [{ criterionIdentifier: CRITERION, criterionProgress: ANY_TIME }]
  return {
    reset: false,
    advancementMapping: added,
    identifiers: removed,
    progressMapping: completed === undefined ? [] : [{ key: completed, value: done }],
  }
}
