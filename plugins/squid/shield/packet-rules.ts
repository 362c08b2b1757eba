import type { PacketFilter, PacketIn } from './client-tap.js'

/** Vanilla's edges: it clamps a client's coordinates to these. */
const MAX_HORIZONTAL = 30_000_000
/** Beyond every world's height, where flying-squid's block look-ups and physics still answer. */
const MAX_VERTICAL = 4_096
/** Twice vanilla's reach plus lag; digging and placing further away would load chunks anywhere. */
const MAX_REACH = 16
/** The longest chat text any protocol version carries. */
const MAX_TEXT = 32_767
/** Vanilla's view distances. */
export const VIEW_DISTANCES = { min: 2, max: 32 } as const

type Fields = Record<string, unknown>
type Verdict = ReturnType<PacketFilter>

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isIn = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max
const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_TEXT
const passIf = (isGood: boolean): Verdict => (isGood ? 'pass' : 'swallow')

function isPlace(data: Fields): boolean {
  const { x, y, z } = data
  if (!isNumber(x) || !isNumber(y) || !isNumber(z)) return false
  return Math.abs(x) <= MAX_HORIZONTAL && Math.abs(z) <= MAX_HORIZONTAL && Math.abs(y) <= MAX_VERTICAL
}

/** Angles are turned into their usual range, since the host writes them as signed bytes. */
function turn(data: Fields): boolean {
  const { yaw, pitch } = data
  if (!isNumber(yaw) || !isNumber(pitch)) return false
  data['yaw'] = yaw % 360
  data['pitch'] = Math.max(-90, Math.min(90, pitch))
  return true
}

/** 1.21.2 moved `onGround` into a field of flags, and the host reads it where it was. */
function ground(data: Fields): boolean {
  const flags = data['flags'] as Fields | undefined
  if (typeof data['onGround'] !== 'boolean') data['onGround'] = flags?.['onGround'] === true
  return true
}

function isReachable({ player, data }: PacketIn): boolean {
  const location = data['location'] as Fields | undefined
  if (location === undefined || player === undefined || !isPlace(location)) return false
  const { x, y, z } = location as { x: number; y: number; z: number }
  const at = player.position
  return Math.hypot(x + 0.5 - at.x, y + 0.5 - at.y, z + 0.5 - at.z) <= MAX_REACH
}

/** Statuses 0 to 2 dig a block; 3 to 6 concern the held item and carry a meaningless block. */
function isDig(packet: PacketIn): boolean {
  const { status, face } = packet.data
  if (!isIn(status, 0, 6)) return false
  return status > 2 || (isIn(face, 0, 5) && isReachable(packet))
}

function isPlacing(packet: PacketIn): boolean {
  const { direction, hand, cursorX, cursorY, cursorZ } = packet.data
  if (!isIn(direction, 0, 5) || !isIn(hand, 0, 1)) return false
  return isNumber(cursorX) && isNumber(cursorY) && isNumber(cursorZ) && isReachable(packet)
}

function isUse(data: Fields): boolean {
  const { target, mouse, x, y, z } = data
  if (!isIn(target, 0, 0x7fff_ffff) || !isIn(mouse, 0, 2)) return false
  return mouse !== 2 || (isNumber(x) && isNumber(y) && isNumber(z))
}

function correctSettings(data: Fields): Verdict {
  const { locale, viewDistance } = data
  if (typeof locale !== 'string' || !/^[\w-]{1,16}$/.test(locale)) data['locale'] = 'en_us'
  const distance = isNumber(viewDistance) ? Math.trunc(viewDistance) : VIEW_DISTANCES.min
  data['viewDistance'] = Math.max(VIEW_DISTANCES.min, Math.min(VIEW_DISTANCES.max, distance))
  return 'pass'
}

const CLIENT_COMMANDS = new Set<unknown>([0, 1, 'perform_respawn', 'request_stats'])

/** What each packet must be like once its player may act. Packets that no listener of the host reads have no rule. */
export const ACTION_RULES: ReadonlyMap<string, PacketFilter> = new Map<string, PacketFilter>([
  ['position', ({ data }) => passIf(isPlace(data) && ground(data))],
  ['position_look', ({ data }) => passIf(isPlace(data) && turn(data) && ground(data))],
  ['look', ({ data }) => passIf(turn(data) && ground(data))],
  ['vehicle_move', ({ data }) => passIf(isPlace(data) && turn(data))],
  ['block_dig', (packet) => passIf(isDig(packet))],
  ['block_place', (packet) => passIf(isPlacing(packet))],
  ['use_entity', ({ data }) => passIf(isUse(data))],
  ['held_item_slot', ({ data }) => passIf(isIn(data['slotId'], 0, 8))],
  ['client_command', ({ data }) => passIf(CLIENT_COMMANDS.has(data['actionId']))],
  ['entity_action', ({ data }) => passIf(data['actionId'] !== undefined)],
  ['use_item', ({ data }) => passIf(isIn(data['hand'], 0, 1))],
  ['arm_animation', ({ data }) => passIf(isIn(data['hand'], 0, 1))],
  ['window_click', () => 'pass'],
  ['close_window', () => 'pass'],
  ['set_creative_slot', ({ data }) => passIf(typeof data['item'] === 'object' && data['item'] !== null)],
])

/** Text and completion: allowed as soon as the host knows who speaks. */
export const SPEECH_RULES: ReadonlyMap<string, PacketFilter> = new Map<string, PacketFilter>([
  ['chat', ({ data }) => passIf(isText(data['message']))],
  ['chat_message', ({ data }) => passIf(isText(data['message']))],
  ['chat_command', ({ data }) => passIf(isText(data['command']))],
  ['tab_complete', ({ data }) => passIf(isText(data['text']) && Number.isInteger(data['transactionId']))],
])

/** Rules for packets that come in any phase. */
export const EARLY_RULES: ReadonlyMap<string, PacketFilter> = new Map<string, PacketFilter>([
  ['settings', ({ data }) => correctSettings(data)],
])
