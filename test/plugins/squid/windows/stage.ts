/** A real server with windows and one real client that looks at them. */
import { createRequire } from 'node:module'
import type { Test } from 'tap'
import type { WindowPage, WindowSlot } from '../../../../lib/cards/render/index.js'
import type { Identifier } from '../../../../lib/core/ids.js'
import { ManualClock } from '../../../../lib/testing/index.js'
import type { RepairName } from '../../../../plugins/squid/shield/index.js'
import type { SquidItem, SquidPlayer, SquidServer } from '../../../../plugins/squid/types.js'
import { openScreens, type Screens, type WindowEvents } from '../../../../plugins/squid/windows/index.js'
import { ClientView } from '../../../support/client-view.js'
import { joinRaw, type RawClient } from '../../../support/squid.js'
import { bootShielded, isServed, playerOf, type ShieldedServer } from '../shield/support.js'

const require = createRequire(import.meta.url)

export interface Stage extends ShieldedServer, Screens {
  readonly clock: ManualClock
  readonly alice: RawClient
  readonly view: ClientView
  readonly player: SquidPlayer
  /** What the windows told, in order. */
  readonly told: string[]
  /** Writes into `told`, each line after this word. */
  events(word: string): WindowEvents
  /** All that alice sent was handled, and she has the answers. */
  served(): Promise<void>
  /** What the server says alice has, in the view's form. */
  things(): string
}

/** Without a list of repairs, all are on but the limits. */
export async function openStage(t: Test, version: string, only?: readonly RepairName[]): Promise<Stage> {
  const clock = new ManualClock()
  const booted = await bootShielded(t, version, {
    shield: { clock, enabled: (name) => only?.includes(name) ?? name !== 'limits' },
  })
  const screens = openScreens({ serv: booted.serv, clock, logger: booted.log, shield: booted.shield })
  const alice = await joinRaw(t, booted.port, version, 'alice')
  const view = new ClientView(alice)
  const player = playerOf(booted.serv, 'alice')
  const told: string[] = []
  const stage: Stage = {
    ...booted,
    ...screens,
    clock,
    alice,
    view,
    player,
    told,
    events: (word) => ({
      onPress: (token) => void told.push(`${word} ${token}`),
      onClose: () => void told.push(`${word} closed`),
    }),
    served: () => isServed(alice),
    things: () => thingsOf(player),
  }
  player.inventory?.updateSlot(8, makeItem(booted.serv, 'leather_boots', 1))
  player.inventory?.updateSlot(10, makeItem(booted.serv, 'dirt', 5))
  player.inventory?.updateSlot(36, makeItem(booted.serv, 'diamond', 3))
  player.inventory?.updateSlot(45, makeItem(booted.serv, 'torch', 7))
  booted.shield.sync.resync(player)
  await stage.served()
  return stage
}

export function makeItem(serv: SquidServer, name: string, count: number): SquidItem {
  const Item = require('prismarine-item')(serv.registry) as new (type: number, count: number) => SquidItem
  const id = serv.registry.itemsByName[name]?.id
  if (id === undefined) throw new Error(`no item ${name}`)
  return new Item(id, count)
}

const shortItem = (item: SquidItem | null | undefined): string => (item ? `${item.type}x${item.count}` : '-')

function thingsOf({ inventory }: SquidPlayer): string {
  const { selectedItem } = inventory as { selectedItem?: SquidItem | null }
  const slots = Array.from({ length: 46 }, (_, slot) => shortItem(inventory?.slots[slot]))
  return [...slots, `cursor ${shortItem(selectedItem)}`].join(' ')
}

/** A slot whose token is its name. */
export const button = (
  name: string,
  { icon = 'minecraft:emerald', ...over }: Partial<Omit<WindowSlot, 'icon'>> & { icon?: string } = {},
): WindowSlot => ({
  icon: icon as Identifier,
  count: 1,
  name: { text: name },
  lore: [],
  token: name,
  ...over,
})

export const page = (
  slots: Readonly<Record<number, WindowSlot>>,
  over: Partial<WindowPage> = {},
): WindowPage => ({
  title: { text: 'Answers' },
  rows: 3,
  slots: new Map(Object.entries(slots).map(([slot, shown]) => [Number(slot), shown])),
  ...over,
})
