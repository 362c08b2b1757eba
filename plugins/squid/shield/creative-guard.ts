import type { SquidClient, SquidServer } from '../types.js'
import { FIRST_WORN, OFF_HAND } from './inventory-sync.js'
import type { InstallRepair } from './repair.js'

const CREATIVE = 1
/** Of one stack on the wire, data and all. Whoever sees the stack gets as much. */
const MAX_STACK_BYTES = 65_536
/** How deep its data goes; each step is a level of objects here, and a tag has two. */
const MAX_DEPTH = 128

/** What a packet says of a stack, in both eras' fields. */
interface WireStack {
  readonly present?: unknown
  readonly itemId?: unknown
  readonly itemCount?: unknown
}

/**
 * A client may put stacks of its own making into its slots in creative mode alone, and only ones that the version has and that
 * others can be sent. Whoever is refused is shown its things as they are.
 */
export const installCreativeGuard: InstallRepair = ({ serv, tap, sync }) => {
  let isActive = true
  tap.filter('set_creative_slot', ({ client, player, data }) => {
    if (!isActive || player?.inventory === undefined) return 'pass'
    const { slot, item } = data
    if (player.gameMode === CREATIVE && isSlot(slot) && isStack(serv, client, item)) return 'pass'
    sync.resyncSoon(player)
    return 'swallow'
  })
  return () => {
    isActive = false
  }
}

/** What lies in the crafting grid isn't kept. */
const isSlot = (slot: unknown): boolean =>
  Number.isInteger(slot) && (slot as number) >= FIRST_WORN && (slot as number) <= OFF_HAND

function isStack(serv: SquidServer, client: SquidClient, item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false
  const { present, itemId, itemCount } = item as WireStack
  if (present === false || (itemCount === 0 && present === undefined)) return true
  const { items } = serv.registry
  const max = Object.hasOwn(items, String(itemId)) ? items[Number(itemId)]?.stackSize : undefined
  if (max === undefined || !Number.isInteger(itemCount)) return false
  if ((itemCount as number) < 1 || (itemCount as number) > max) return false
  return isShallow(item, MAX_DEPTH) && isSmall(client, item)
}

const isShallow = (value: unknown, left: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  ArrayBuffer.isView(value) ||
  (left > 0 && Object.values(value).every((member) => isShallow(member, left - 1)))

/** As the host sends it on; what can't be written would be missing for everybody. */
function isSmall(client: SquidClient, item: unknown): boolean {
  const params = { windowId: 0, stateId: 0, slot: 0, item }
  try {
    const bytes = client.serializer?.createPacketBuffer({ name: 'set_slot', params })
    return bytes !== undefined && bytes.length <= MAX_STACK_BYTES
  } catch {
    return false
  }
}
