import type { Component } from '../../../lib/text/index.js'
import { encodeComponent, type WireComponent } from '../text/index.js'
import type { SquidPlayer } from '../types.js'
import type { HudParts } from './hud.js'

/** In the order of their numbers on the wire. */
const COLORS = ['pink', 'blue', 'red', 'green', 'yellow', 'purple', 'white'] as const
export type BossBarColor = (typeof COLORS)[number]

/** A bar at the top of the screen. */
export interface BossBar {
  readonly title: Component
  /** How full it is, 0 to 1; others are clamped. */
  readonly share: number
  /** `white` unless given. */
  readonly color?: BossBarColor
}

interface Shown {
  readonly entityUUID: string
  readonly title: WireComponent
  readonly health: number
  readonly color: number
}

const TITLE_BUDGET_BYTES = 2_048
const ACTION = { add: 0, remove: 1, health: 2, title: 3, style: 4 } as const
const NO_DIVIDERS = 0

/** The bars of each player, each with a UUID of its own. A player who has gone takes them along: its client did. */
export class BossBars {
  readonly #parts: HudParts
  readonly #shown = new WeakMap<SquidPlayer, Map<string, Shown>>()

  constructor(parts: HudParts) {
    this.#parts = parts
  }

  set(player: SquidPlayer, key: string, bar: BossBar | null): void {
    const bars = this.#shown.get(player) ?? new Map<string, Shown>()
    const before = bars.get(key)
    if (bar === null) {
      if (before === undefined) return
      bars.delete(key)
      this.#write(player, before, { action: ACTION.remove })
      return
    }
    const now = this.#wire(bar, before?.entityUUID)
    if (before === undefined && !this.#add(player, now)) return
    if (before !== undefined) this.#change(player, before, now)
    this.#shown.set(player, bars.set(key, now))
  }

  #wire({ title, share, color = 'white' }: BossBar, entityUUID = this.#parts.newUuid()): Shown {
    return {
      entityUUID,
      title: encodeComponent(title, this.#parts.era, TITLE_BUDGET_BYTES),
      // as the client will have it: a single-precision number
      health: Math.fround(Number.isFinite(share) ? Math.min(Math.max(0, share), 1) : 0),
      color: COLORS.indexOf(color),
    }
  }

  #add(player: SquidPlayer, { title, health, color, ...bar }: Shown): boolean {
    const fields = { action: ACTION.add, title, health, color, dividers: NO_DIVIDERS, flags: 0 }
    return this.#write(player, bar, fields)
  }

  #change(player: SquidPlayer, before: Shown, now: Shown): void {
    const { title, health, color } = now
    if (health !== before.health) this.#write(player, now, { action: ACTION.health, health })
    if (JSON.stringify(title) !== JSON.stringify(before.title))
      this.#write(player, now, { action: ACTION.title, title })
    if (color !== before.color)
      this.#write(player, now, { action: ACTION.style, color, dividers: NO_DIVIDERS })
  }

  #write(player: SquidPlayer, { entityUUID }: Pick<Shown, 'entityUUID'>, fields: object): boolean {
    return this.#parts.write(player._client, 'boss_bar', { entityUUID, ...fields }) === 'sent'
  }
}
