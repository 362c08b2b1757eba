/** Light moving players in a process of their own: `{ port, version, count, movesPerSecond, joinGapMs }`. */
import { createRequire } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { unzipSync } from 'node:zlib'
import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { z } from 'zod'
import { childArgument } from './bench.js'

const settings = childArgument(
  z.strictObject({
    port: z.int(),
    version: z.string(),
    count: z.int(),
    movesPerSecond: z.number(),
    joinGapMs: z.int(),
  }),
)

interface Client extends EventEmitter {
  readonly socket: Socket
  readonly splitter: NodeJS.WritableStream & { readonly buffer: Buffer }
  readonly deserializer: {
    readonly proto: {
      parsePacketBuffer(type: string, buffer: Buffer): { data: { name: string; params: unknown } }
    }
  }
  write(name: string, fields: unknown): void
}

interface Place {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly teleportId?: number
}

const require = createRequire(import.meta.url)
const { createClient } = require('minecraft-protocol') as { createClient(options: unknown): Client }
const data = require('minecraft-data')(settings.version) as {
  protocol: {
    play: {
      toClient: {
        types: { packet: [string, { name: string; type: [string, { mappings: Record<string, string> }] }[]] }
      }
    }
  }
}

/** Packets that are looked into, by the first byte of their frame; chunks and movement stay unread. */
const WATCHED = ['keep_alive', 'system_chat', 'update_health']
const names =
  data.protocol.play.toClient.types.packet[1].find(({ name }) => name === 'name')?.type[1].mappings ?? {}
const watched = new Set(
  Object.entries(names)
    .filter(([, name]) => WATCHED.includes(name))
    .map(([id]) => Number(id)),
)
const FLAGS = { onGround: true, hasHorizontalCollision: false }
/** Steps on one turn of the circle that a player walks, and its radius in blocks. */
const STEPS = 64
const RADIUS = 4

/** The questions that one asking player goes through. */
const QUESTIONS = [
  'what should I build with what I carry?',
  'how far am I from a beacon?',
  'compare a piston with a dispenser for my farm',
  '我身上的东西能做什么？',
]

/** Answers that came to the asking players. */
let answers = 0

class Player {
  readonly joined: Promise<void>
  readonly #client: Client
  readonly #number: number
  #resolveJoined: () => void = () => {}
  #isAsking = false
  #asked = 0

  constructor(number: number) {
    this.#number = number
    this.joined = new Promise((resolve) => (this.#resolveJoined = resolve))
    const { port, version } = settings
    this.#client = createClient({
      host: '127.0.0.1',
      port,
      version,
      username: `load${number}`,
      auth: 'offline',
      hideErrors: true,
      checkTimeoutInterval: 120_000,
      validateChannelProtocol: false,
    })
    this.#client.on('error', (error: Error) => lost(`error of player ${number}: ${error.message}`))
    this.#client.on('end', (reason: unknown) => lost(`player ${number} left: ${String(reason)}`))
    this.#client.once('position', (place: Place) => this.#arrive(place))
  }

  /** From now on always one request under way. */
  ask(): void {
    this.#isAsking = true
    this.#next()
  }

  #arrive(place: Place): void {
    const { teleportId, ...at } = place
    if (teleportId !== undefined) this.#client.write('teleport_confirm', { teleportId })
    const { x, y, z } = at
    this.#client.write('position_look', { x, y, z, yaw: 0, pitch: 0, onGround: true, flags: FLAGS })
    // flying-squid finishes a login with the first look
    this.#client.write('look', { yaw: 1, pitch: 0, onGround: true, flags: FLAGS })
    this.#client.socket.unpipe(this.#client.splitter)
    readFrames(this.#client.socket, this.#client.splitter.buffer, (frame) => this.#receive(frame))
    let step = this.#number
    setInterval(() => {
      step += 1
      const angle = (step * 2 * Math.PI) / STEPS
      this.#client.write('position', {
        x: x + RADIUS * Math.sin(angle),
        y,
        z: z + RADIUS * Math.cos(angle),
        onGround: true,
        flags: FLAGS,
      })
    }, 1_000 / settings.movesPerSecond)
  }

  #receive(frame: Buffer): void {
    const { name, params } = this.#client.deserializer.proto.parsePacketBuffer('packet', frame).data
    if (name === 'keep_alive') this.#client.write('keep_alive', params)
    if (name === 'update_health') this.#resolveJoined()
    const isLine = name === 'system_chat' && (params as { isActionBar?: unknown }).isActionBar !== true
    if (!isLine || !this.#isAsking) return
    answers += 1
    this.#next()
  }

  #next(): void {
    const question = QUESTIONS[(this.#number + this.#asked) % QUESTIONS.length] ?? ''
    this.#asked += 1
    this.#client.write('chat_command', { command: `system reason ${question} (${this.#asked})` })
  }
}

/** A length of one to three bytes at the place; undefined when it isn't there as a whole. */
function lengthAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let size = 0; size < 3; size += 1) {
    const byte = bytes[at + size]
    if (byte === undefined) return undefined
    value |= (byte & 0x7f) << (7 * size)
    if (byte < 0x80) return { value, end: at + size + 1 }
  }
  return undefined
}

/** Finds the watched packets among all others; movement, which is nearly all, is neither copied nor parsed. */
function readFrames(socket: Socket, begun: Buffer, receive: (frame: Buffer) => void): void {
  let rest = begun
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      const length = lengthAt(bytes, at)
      if (length === undefined || length.end + length.value > bytes.length) break
      at = length.end + length.value
      // the length when unpacked, 0 for what isn't packed; then comes the packet, whose first byte is its number
      const unpacked = lengthAt(bytes, length.end)
      const body = bytes.subarray(unpacked?.end, at)
      const packet = unpacked?.value === 0 ? body : unzipSync(body)
      if (watched.has(packet[0] ?? -1)) receive(packet)
    }
    rest = bytes.subarray(at)
  })
  // unpipe has paused it
  socket.resume()
}

function lost(why: string): void {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

async function main(): Promise<void> {
  const players: Player[] = []
  for (let number = 0; number < settings.count; number += 1) {
    const player = new Player(number)
    players.push(player)
    await delay(settings.joinGapMs)
  }
  await Promise.all(players.map((player) => player.joined))
  process.send?.({ kind: 'joined' })
  process.on('message', (message: { kind?: unknown; count?: unknown }) => {
    if (message.kind === 'ask') for (const player of players.slice(0, Number(message.count))) player.ask()
    if (message.kind === 'answers') process.send?.({ kind: 'answers', answers })
  })
  process.on('disconnect', () => process.exit(0))
}

void main()
