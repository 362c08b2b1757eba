import type { Ask, LimitKind, Outcome, RateLimits, SubmitOptions } from '../../lib/agent/index.js'
import { createHash } from 'node:crypto'
import type { CardAction, CardRef, TokenTarget } from '../../lib/cards/index.js'
import { failure } from '../../lib/core/failure.js'
import type { Identifier, PlayerId, RequestId } from '../../lib/core/ids.js'
import { synchronous } from '../../lib/core/synchronous.js'
import { OwnPins } from './own-pins.js'
import { OwnSettings } from './own-settings.js'
import type { Runtime } from './runtime.js'
import type { Surface } from './surface/index.js'
import type { SquidPlayer } from './types.js'

/** Decides how often a player may do a thing. */
export type Limits = Pick<RateLimits, 'take'>

/** Where what is asked is answered: the player's own surface, or a program's channel. */
export type AnswerSurface = Pick<
  Surface,
  'line' | 'failure' | 'outcome' | 'progress' | 'endProgress' | 'local' | 'presenter'
>

/** A player at the keyboard, with its id. */
export interface Asker {
  readonly player: SquidPlayer
  readonly id: PlayerId
}

/** A button that asks the server, pressed. */
interface PressedButton {
  readonly ref: CardRef
  readonly action: Extract<CardAction, { kind: 'server' }>
  readonly token: string
}

/** Brings what players ask to the engine and its one outcome back to them. */
export class Requests {
  readonly #runtime: Runtime
  readonly #surface: AnswerSurface
  readonly #limits: Limits
  /** The player's own switches. */
  readonly settings: OwnSettings
  /** The cards that the player keeps. */
  readonly pins: OwnPins

  constructor(runtime: Runtime, surface: AnswerSurface, limits: Limits) {
    this.#runtime = runtime
    this.#surface = surface
    this.#limits = limits
    this.settings = new OwnSettings(runtime, surface)
    this.pins = new OwnPins(runtime, surface)
  }

  /** Free text: routed. */
  async text(asker: Asker, text: string): Promise<void> {
    await this.ask(asker, { kind: 'text', text })
  }

  /** A module's own command. */
  async command(asker: Asker, module: Identifier, argument: string): Promise<void> {
    const { routing } = this.#runtime.registry.findModule(module) ?? {}
    const input = this.#input(asker, () => routing?.fromCommand?.(argument))
    await this.ask(
      asker,
      { kind: 'action', source: 'command', module, input },
      { said: saidBy(routing?.command?.name ?? module, argument) },
    )
  }

  /** The press of a button. A wrong token is answered at first, then met with silence. */
  async press(asker: Asker, token: string): Promise<void> {
    if (!this.mayDo(asker, 'act')) return
    const { tokens } = this.#runtime
    const taken = tokens.take(asker.id, token)
    if (!taken.ok) {
      if (this.#limits.take(asker.id, 'wrong-token') !== 'silent')
        this.#surface.failure(asker.player, taken.failure)
      return
    }
    const { action, ref } = taken.value
    if (action.kind !== 'server') return this.#local(asker, taken.value, token)
    const end = this.#surface.presenter.begin(asker, ref, token)
    if (end === null) {
      tokens.giveBack(asker.id, token)
      return this.#surface.failure(asker.player, failure('system:card_waiting'))
    }
    try {
      // refused before it began: the same button may be pressed again
      if (!(await this.#act(asker, { ref, action, token }))) tokens.giveBack(asker.id, token)
    } finally {
      end()
    }
  }

  /** What a button asks the server for; false: it was refused before it began. */
  async #act(asker: Asker, { ref, action, token }: PressedButton): Promise<boolean> {
    const { cards, registry } = this.#runtime
    const pressed = this.settings.pressed(action)
    if (pressed !== null) return this.settings.run(asker, pressed, cards.reserve(asker.id, ref))
    const removed = this.pins.removed(action)
    if (removed !== null) return this.pins.remove(asker, removed, cards.reserve(asker.id, ref))
    const again = this.pins.again(asker.id, action)
    if (again?.ok === false) {
      this.#surface.failure(asker.player, again.failure)
      return true
    }
    const { routing } = registry.findModule(action.module) ?? {}
    const ask = again?.value ?? {
      kind: 'action' as const,
      source: 'structured' as const,
      module: action.module,
      input: this.#input(asker, () => {
        if (action.input !== undefined) return action.input
        return routing?.fromButton === undefined ? action.params : routing.fromButton(action.params)
      }),
    }
    const { requestId } = await this.#run(asker, ask, {
      card: cards.reserve(asker.id, ref),
      requestId: requestIdOf(asker.id, token),
      said: saidBy(routing?.command?.name ?? action.module, Object.values(action.params).join(' ')),
    })
    return requestId !== null
  }

  /** What a button does that asks no workflow. */
  async #local(asker: Asker, { ref, action }: TokenTarget, token: string): Promise<void> {
    if (action.kind !== 'local' || action.show !== 'pin') {
      const failed = this.#surface.local(asker, { ref, action })
      if (failed !== null) this.#surface.failure(asker.player, failed)
      return
    }
    if (!(await this.pins.add(asker, ref))) this.#runtime.tokens.giveBack(asker.id, token)
  }

  /** Ends the running request; its own outcome is the line that says so. */
  cancel(asker: Asker): void {
    if (!this.#runtime.engine.cancel(asker.id) && this.mayDo(asker, 'act'))
      this.#surface.failure(asker.player, failure('system:nothing_to_cancel'))
  }

  /** Whether the player may do one more of these; the first refusal in a while is told. */
  mayDo(asker: Asker, kind: LimitKind): boolean {
    const verdict = this.#limits.take(asker.id, kind)
    if (verdict === 'notice') this.#surface.failure(asker.player, failure('system:rate_limited'))
    return verdict === 'ok'
  }

  /** What a module makes of outside words. Code of an author's that throws is told here and logged by the caller. */
  #input(asker: Asker, read: () => unknown): unknown {
    try {
      return synchronous(read()) ?? {}
    } catch (thrown) {
      this.#surface.failure(asker.player, failure('system:internal'))
      throw thrown
    }
  }

  /** Brings it to the engine, if the player may ask one more now. */
  async ask(asker: Asker, ask: Ask, options: SubmitOptions = {}): Promise<void> {
    if (!this.mayDo(asker, 'text')) return
    await this.#run(asker, ask, options)
  }

  async #run(asker: Asker, ask: Ask, options: SubmitOptions): Promise<Outcome> {
    const { engine, sessions } = this.#runtime
    const { card } = options
    const ended = sessions.stay(asker.id)
    const outcome = await engine.submit(asker.id, ask, {
      ...options,
      onProgress: (message) => this.#surface.progress(asker, message),
    })
    // one that never began has no progress; what waits there is that of the request that runs
    if (outcome.requestId !== null) this.#surface.endProgress(asker.player)
    // the player may have gone, or lost the System, in the very turn in which the outcome was there
    if (ended() === null)
      this.#surface.outcome(asker, outcome.result, {
        ...(card === undefined ? {} : { card }),
        ...(this.#isQuery(outcome.module) ? { ask } : {}),
      })
    return outcome
  }

  /** Whether the module only looks: what changes something is never asked anew by a pin. */
  #isQuery(module: string | null): boolean {
    const { registry } = this.#runtime
    const found = registry.findModule(module ?? '')
    return found !== undefined && registry.readsOnly(found)
  }
}

/** What a command or a button stands for, as the line that would say it. */
const saidBy = (word: string, argument: string): string =>
  `/system ${word.slice(word.indexOf(':') + 1)} ${argument}`.trim()

/** The id of the request that a button makes: the press of one button is one request. */
function requestIdOf(player: PlayerId, token: string): RequestId {
  const hash = createHash('sha256').update(`${player} ${token}`).digest('hex')
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(12, 16),
    hash.slice(16, 20),
    hash.slice(20, 32),
  ].join('-') as RequestId
}
