/** Choices that follow from a number alone: the same seed gives the same conversation. */
export class Dice {
  #state: number

  /** Any integer. */
  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** From 0 to `sides` - 1: mulberry32. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }

  pick<T extends readonly [unknown, ...unknown[]]>(from: T): T[number] {
    return from[this.roll(from.length)] ?? from[0]
  }

  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items]
    return items.map(() => left.splice(this.roll(left.length), 1)).flat()
  }
}
