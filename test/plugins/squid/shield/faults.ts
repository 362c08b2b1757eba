/** Attacks that end a stock server, each as what a client sends. */
import { VERSIONS, type RawClient } from '../../../support/squid.js'

interface Wire {
  readonly socket: { write(bytes: Uint8Array): void }
}

export interface Fault {
  readonly versions: readonly string[]
  /** It hangs the stock server, in code that knows no version: shown on one, as it costs the child's whole time. */
  readonly isHang?: true
  /**
   * It throws in a listener of packets. On Node 20 that ends the process; on Node 24 the stream around it swallows the
   * error, and stock survives this one.
   */
  readonly isInListener?: true
  attack(client: RawClient, version: string): void
}

const bytes = (client: RawClient, ...values: number[]): void =>
  (client as unknown as Wire).socket.write(Uint8Array.from(values))

export const FAULTS: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  [
    'chat acknowledgement in offline mode',
    {
      versions: VERSIONS.filter((version) => version !== '1.16.5'),
      isInListener: true,
      attack: (client) => client.write('message_acknowledgement', { count: 3 }),
    },
  ],
  [
    'frame of negative length',
    { versions: VERSIONS, isHang: true, attack: (client) => bytes(client, 0xfb, 0xff, 0xff, 0xff, 0x0f) },
  ],
  [
    'drop key with an empty hand',
    {
      versions: VERSIONS,
      isInListener: true,
      attack: (client) => client.write('window_click', dropClick(10)),
    },
  ],
  [
    'command that every object inherits',
    { versions: VERSIONS, attack: (client) => client.say('/constructor') },
  ],
  ['unknown selector', { versions: VERSIONS, attack: (client) => client.say('/kill @z') }],
])

/** The drop key over a slot of the own inventory, in the form of all versions. */
export const dropClick = (slot: number, mouseButton = 0, windowId = 0): Record<string, unknown> => ({
  ...click(slot, mouseButton, 4),
  windowId,
})

/** A click of window 0, in the form of all versions. */
export const click = (slot: number, mouseButton: number, mode: number): Record<string, unknown> => ({
  windowId: 0,
  stateId: 0,
  slot,
  mouseButton,
  action: 1,
  mode,
  item: EMPTY,
  changedSlots: [],
  cursorItem: EMPTY,
})

/** No item, in the form of all versions. */
export const EMPTY = { present: false, itemCount: 0 } as const
