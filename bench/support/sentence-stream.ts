import { performance } from 'node:perf_hooks'

/** What players say: most fit a module, some fit none, a few are refused before any look at the index. */
const SENTENCES = [
  'what am I holding?',
  '怎么合成 piston',
  'how do I craft a beacon',
  'where am I',
  '我在哪里',
  'tell me about redstone torch',
  'recipe for an enchanting table please',
  'how hungry am I',
  'what is in my inventory',
  '附魔台怎么做',
  'does it rain tomorrow in London',
  'sing me a song about the sea',
  'what do I need to build an automatic farm and in which order?',
  'good morning everybody',
  '你今天心情怎么样',
  'show me diamond pickaxe',
]

/** Sends sentences to a router at a steady rate, from its making on, whatever it still has to answer. */
export class SentenceStream {
  readonly #route: (text: string) => Promise<unknown>
  readonly #perSecond: number
  #started = 0
  readonly #startedAt = performance.now()
  #routed = 0
  #local = 0
  #latenciesMs: number[] = []

  constructor(route: (text: string) => Promise<unknown>, perSecond: number) {
    this.#route = route
    this.#perSecond = perSecond
  }

  /** Forgets what was measured. */
  reset(): void {
    this.#routed = 0
    this.#local = 0
    this.#latenciesMs = []
  }

  /** Sentences answered since the reset, those that found a module, and the time that each took. */
  result(): { routed: number; local: number; latenciesMs: number[] } {
    return { routed: this.#routed, local: this.#local, latenciesMs: this.#latenciesMs }
  }

  /** Sends what is due; to be called often. */
  catchUp(): void {
    const due = ((performance.now() - this.#startedAt) / 1_000) * this.#perSecond
    while (this.#started < due) {
      void this.#one(SENTENCES[this.#started % SENTENCES.length] ?? '')
      this.#started += 1
    }
  }

  async #one(text: string): Promise<void> {
    const at = performance.now()
    const found = await this.#route(text)
    this.#latenciesMs.push(performance.now() - at)
    this.#routed += 1
    if (found !== null) this.#local += 1
  }
}
