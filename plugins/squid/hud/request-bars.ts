import type { ExecutionPolicy, TraceEvent } from '../../../lib/agent/index.js'
import type { Clock } from '../../../lib/core/clock.js'
import { isUuid, type Identifier, type PlayerId } from '../../../lib/core/ids.js'
import type { Component, Languages, Message } from '../../../lib/text/index.js'
import type { SquidPlayer } from '../types.js'
import type { Hud } from './hud.js'

/** Who has waited so long is shown how far it is. */
const PATIENCE_MS = 2_000
const KEY = 'request'
/** Requests that a player waits for. */
const FORMS: ReadonlySet<string> = new Set(['text', 'command', 'structured'])

export interface RequestBarsParts {
  readonly hud: Pick<Hud, 'bossBar'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly languages: Languages
  find(player: PlayerId): SquidPlayer | undefined
  languageOf(player: SquidPlayer): string
  /** What a request of the module may spend. */
  policyOf(module: Identifier): ExecutionPolicy | null
}

interface Running {
  readonly player: PlayerId
  /** Monotonic milliseconds. */
  readonly since: number
  policy: ExecutionPolicy | null
  modelCalls: number
  toolCalls: number
  /** Where it stands, in words. */
  what: Message
  isShown: boolean
  hasChanged: boolean
}

/**
 * The boss bar of a request that takes long, until its end of whatever kind: requests are followed by what the trace tells,
 * which has one end for each beginning. Needs no timer.
 */
export class RequestBars {
  readonly #parts: RequestBarsParts
  readonly #running = new Map<string, Running>()

  constructor(parts: RequestBarsParts) {
    this.#parts = parts
  }

  /** To be called with each event of the trace. */
  readonly hear = (event: TraceEvent): void => {
    if (event.kind === 'request-accepted') this.#begin(event)
    if (!('request' in event) || event.request === null) return
    const running = this.#running.get(event.request)
    if (running === undefined) return
    if (event.kind === 'request-ended') this.#end(event.request, running)
    else this.#count(running, event)
  }

  /** Where the player's request stands. */
  progress(player: PlayerId, what: Message): void {
    const running = this.#of(player)
    if (running === undefined) return
    running.what = what
    running.hasChanged = true
  }

  /** Shows bars that are due, and what has changed on those that are there. Called once per tick of the server. */
  tick(): void {
    const now = this.#parts.clock.monotonic()
    for (const running of this.#running.values()) {
      if (running.hasChanged && now - running.since >= PATIENCE_MS) this.#draw(running)
    }
  }

  /** Takes all bars away. */
  close(): void {
    for (const [id, running] of this.#running) this.#end(id, running)
  }

  #begin({ request, player, form }: Extract<TraceEvent, { kind: 'request-accepted' }>): void {
    if (!FORMS.has(form) || !isUuid(player)) return
    this.#running.set(request, {
      player,
      since: this.#parts.clock.monotonic(),
      policy: null,
      modelCalls: 0,
      toolCalls: 0,
      what: { key: 'system.request.begun' },
      isShown: false,
      hasChanged: true,
    })
  }

  #count(running: Running, event: TraceEvent): void {
    if (event.kind === 'request-routed') {
      running.policy = this.#parts.policyOf(event.module as Identifier)
      // what routing has asked is no round of the workflow
      running.modelCalls = 0
    } else if (event.kind === 'model-called') running.modelCalls += 1
    else if (event.kind === 'tool-called') running.toolCalls += 1
    else return
    running.hasChanged = true
  }

  #end(id: string, running: Running): void {
    this.#running.delete(id)
    const player = this.#parts.find(running.player)
    if (running.isShown && player !== undefined) this.#parts.hud.bossBar(player, KEY, null)
  }

  #draw(running: Running): void {
    const player = this.#parts.find(running.player)
    if (player === undefined) return
    const { done, of, key } = stepsOf(running)
    const message =
      of === 0 ? running.what : { key, params: { what: running.what, step: Math.min(done + 1, of), of } }
    this.#parts.hud.bossBar(player, KEY, {
      title: this.#render(player, message),
      share: of === 0 ? 0 : Math.min(done, of) / of,
      color: 'blue',
    })
    running.isShown = true
    running.hasChanged = false
  }

  #render(player: SquidPlayer, message: Message): Component {
    return this.#parts.languages.render(message, this.#parts.languageOf(player))
  }

  /** A player has one such request at most. */
  #of(player: PlayerId): Running | undefined {
    for (const running of this.#running.values()) if (running.player === player) return running
    return undefined
  }
}

/** What the bar counts: rounds of a model where the policy has them, else steps; before the module is known nothing. */
function stepsOf({ policy, modelCalls, toolCalls }: Running): { done: number; of: number; key: string } {
  if (policy === null) return { done: 0, of: 0, key: '' }
  const rounds = policy.reactIterations > 0 ? policy.reactIterations : policy.modelCalls
  if (rounds > 0) return { done: modelCalls, of: rounds, key: 'system.request.round_of' }
  return { done: modelCalls + toolCalls, of: policy.steps, key: 'system.request.step_of' }
}
