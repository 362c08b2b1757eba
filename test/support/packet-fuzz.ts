/** Random packets that a protocol definition allows, from a seed. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A small seeded generator (mulberry32). */
export class SeededRandom {
  #state: number
  constructor(seed: number) {
    this.#state = seed >>> 0
  }
  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }
  pick<T>(list: readonly T[]): T {
    const item = list[this.int(0, list.length - 1)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.int(0, 255)))
  }
}

type TypeDefinition = string | readonly [string, unknown]
type Types = Readonly<Record<string, TypeDefinition>>
type Scope = readonly Record<string, unknown>[]

const DOUBLES = [0, 1, -1, 0.5, NaN, Infinity, -Infinity, 1e300, 3e7, 3.1e7, -64, 319, 1e9] as const
const WORDS = [
  '',
  'a',
  '/',
  '@a',
  '/constructor',
  '__proto__',
  'x'.repeat(400),
  '&&&k',
  '\u0000\u2028',
  '{"text":1}',
] as const
const INTEGERS: Readonly<Record<string, readonly [number, number]>> = {
  i8: [-128, 127],
  u8: [0, 255],
  i16: [-32_768, 32_767],
  u16: [0, 65_535],
  i32: [-2_147_483_648, 2_147_483_647],
  u32: [0, 4_294_967_295],
  varint: [-2_147_483_648, 2_147_483_647],
  optvarint: [0, 2_147_483_647],
}

/** Makes play packets of a client of one version; small numbers and hostile ones come up more often than chance. */
export class PacketFuzz {
  readonly names: readonly string[]
  readonly #types: Types
  constructor(
    version: string,
    private readonly random: SeededRandom,
  ) {
    const { protocol } = require('minecraft-data')(version) as {
      protocol: { types: Types; play: { toServer: { types: Types } } }
    }
    this.#types = { ...protocol.types, ...protocol.play.toServer.types }
    this.names = Object.keys(protocol.play.toServer.types)
      .filter((name) => name.startsWith('packet_'))
      .map((name) => name.slice('packet_'.length))
  }

  /** Fields for a packet of this name. */
  fields(name: string): unknown {
    return this.#value(`packet_${name}`, [])
  }

  #value(type: TypeDefinition, scope: Scope): unknown {
    if (typeof type !== 'string') return this.#built(type[0], type[1], scope)
    const range = INTEGERS[type]
    if (range !== undefined) return this.#integer(range)
    const native = this.#native(type)
    if (native !== undefined) return native.value
    const named = this.#types[type]
    if (named === undefined || named === 'native') throw new Error(`no values for ${type}`)
    return this.#value(named, scope)
  }

  #integer([min, max]: readonly [number, number]): number {
    const { random } = this
    return random.next() < 0.6
      ? Math.max(min, random.int(-2, 46))
      : random.pick([min, max, random.int(min, max)])
  }

  #native(type: string): { value: unknown } | undefined {
    const { random } = this
    const long = (): bigint => BigInt(random.int(-5, 5)) * 10n ** BigInt(random.int(0, 17))
    const makers: Record<string, () => unknown> = {
      void: () => undefined,
      bool: () => random.next() < 0.5,
      f32: () => random.pick(DOUBLES),
      f64: () => random.pick(DOUBLES),
      i64: long,
      u64: () => BigInt(random.int(0, 9)),
      varlong: () => random.int(0, 9),
      UUID: () => '01234567-89ab-cdef-0123-456789abcdef',
      string: () => random.pick(WORDS),
      restBuffer: () => random.bytes(random.int(0, 40)),
      ByteArray: () => random.bytes(random.int(0, 40)),
      position: () => ({ x: random.int(-40, 40), y: random.int(-70, 330), z: random.int(-40, 40) }),
      slot: () => this.#slot(),
      Slot: () => this.#slot(),
      UntrustedSlot: () => this.#slot(),
      optionalNbt: () => undefined,
      anonOptionalNbt: () => undefined,
      nbt: () => ({ type: 'compound', name: '', value: {} }),
      anonymousNbt: () => ({ type: 'compound', value: {} }),
    }
    const make = Object.hasOwn(makers, type) ? makers[type] : undefined
    return make === undefined ? undefined : { value: make() }
  }

  /** A superset of both eras: an item with a wild id and count, or none. */
  #slot(): unknown {
    const { random } = this
    if (random.next() < 0.3) return { present: false, itemCount: 0 }
    return {
      present: true,
      itemId: random.int(0, 5_000),
      itemCount: random.int(-128, 127),
      nbtData: undefined,
      addedComponentCount: 0,
      removedComponentCount: 0,
      components: [],
      removeComponents: [],
    }
  }

  #built(kind: string, options: unknown, scope: Scope): unknown {
    const given = options as Record<string, unknown>
    switch (kind) {
      case 'container':
        return this.#container(options as readonly Record<string, unknown>[], scope)
      case 'array':
        return Array.from({ length: arrayLength(given, this.random) }, () =>
          this.#value(given['type'] as TypeDefinition, scope),
        )
      case 'option':
        return this.random.next() < 0.5 ? undefined : this.#value(options as TypeDefinition, scope)
      case 'mapper':
        return this.random.pick(Object.values(given['mappings'] as Record<string, string>))
      case 'buffer':
        return this.random.bytes(typeof given['count'] === 'number' ? given['count'] : this.random.int(0, 40))
      case 'pstring':
        return this.random.pick(WORDS)
      case 'switch':
        return this.#switch(given, scope)
      case 'bitflags':
        return Object.fromEntries(
          (given['flags'] as string[]).map((flag) => [flag, this.random.next() < 0.5]),
        )
      case 'bitfield':
        return Object.fromEntries(
          (options as { name: string }[]).map(({ name }) => [name, this.random.int(0, 1)]),
        )
      case 'topBitSetTerminatedArray':
        return []
      default:
        throw new Error(`no values for ${kind}`)
    }
  }

  #container(fields: readonly Record<string, unknown>[], scope: Scope): unknown {
    const value: Record<string, unknown> = {}
    for (const field of fields) {
      const made = this.#value(field['type'] as TypeDefinition, [value, ...scope])
      if (field['anon'] === true) Object.assign(value, made)
      else value[String(field['name'])] = made
    }
    return value
  }

  #switch(given: Record<string, unknown>, scope: Scope): unknown {
    const path = String(given['compareTo']).split('/')
    const up = path.filter((part) => part === '..').length
    const compared: unknown = scope[up]?.[path.at(-1) ?? '']
    const type =
      (given['fields'] as Record<string, TypeDefinition>)[String(compared)] ?? given['default'] ?? 'void'
    return this.#value(type as TypeDefinition, scope)
  }
}

const arrayLength = (given: Record<string, unknown>, random: SeededRandom): number =>
  typeof given['count'] === 'number' ? given['count'] : random.int(0, 3)
