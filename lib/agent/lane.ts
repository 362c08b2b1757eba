import { fail, ok, type Result } from '../core/result.js'

/** How many may run and how many may wait. */
export interface LaneLimits {
  readonly active: number
  readonly waiting: number
}

/** A place in a lane. */
export interface LanePlace {
  /** Resolves when the work may start; false when the place was left or the lane closed before. */
  readonly start: Promise<boolean>
  /** Gives the place up, whether it waits or runs; doing it twice is a no-op. */
  leave(): void
}

interface Entry {
  state: 'waiting' | 'active' | 'left'
  readonly begin: (may: boolean) => void
}

/** Bounded admission, counted by the kernel: a full lane refuses at once, nothing waits without bound. */
export class Lane {
  readonly #limits: () => LaneLimits
  readonly #waiting: Entry[] = []
  #active = 0
  #refused = 0
  #closed = false

  constructor(limits: () => LaneLimits) {
    this.#limits = limits
  }

  /** Takes a place, or fails with `system:busy` (full) or `system:stopping`. */
  enter(): Result<LanePlace> {
    if (this.#closed) return fail('system:stopping')
    const limits = this.#limits()
    if (this.#active >= limits.active && this.#waiting.length >= limits.waiting) {
      this.#refused++
      return fail('system:busy')
    }
    let begin: (may: boolean) => void = () => {}
    const start = new Promise<boolean>((resolve) => {
      begin = resolve
    })
    const entry: Entry = { state: 'waiting', begin }
    this.#waiting.push(entry)
    this.#fill()
    return ok({ start, leave: () => this.#leave(entry) })
  }

  /** No admission from now on; those who wait are told that they may not start. */
  close(): void {
    this.#closed = true
    for (const entry of this.#waiting.splice(0)) {
      entry.state = 'left'
      entry.begin(false)
    }
  }

  state(): { readonly active: number; readonly waiting: number; readonly refused: number } {
    return { active: this.#active, waiting: this.#waiting.length, refused: this.#refused }
  }

  #leave(entry: Entry): void {
    const before = entry.state
    entry.state = 'left'
    if (before === 'active') {
      this.#active--
      this.#fill()
    } else if (before === 'waiting') {
      this.#waiting.splice(this.#waiting.indexOf(entry), 1)
      entry.begin(false)
    }
  }

  #fill(): void {
    while (!this.#closed && this.#active < this.#limits().active) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      next.state = 'active'
      this.#active++
      next.begin(true)
    }
  }
}
