import type { Ask } from '../../lib/agent/index.js'
import { cardOf, type CardAction, type CardRef } from '../../lib/cards/index.js'
import { pin, pinList, pinListCard, PINS_MODULE, pinsOf, unpin } from '../../lib/conversation/index.js'
import { failure, type Failure } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import type { Transaction } from '../../lib/storage/index.js'
import type { AnswerSurface, Asker } from './requests.js'
import type { Runtime } from './runtime.js'

/** The cards that players keep. As with their settings, what changes them needs no place among requests. */
export class OwnPins {
  readonly #runtime: Runtime
  readonly #surface: AnswerSurface

  constructor(runtime: Runtime, surface: AnswerSurface) {
    this.#runtime = runtime
    this.#surface = surface
  }

  /** Pins what the card shows, and what makes it anew. Says whether that was done. */
  async add(asker: Asker, ref: CardRef): Promise<boolean> {
    const { presenter } = this.#surface
    const snapshot = presenter.snapshot(asker.id, ref)
    if (snapshot === undefined) return this.#refused(asker, failure('system:token_outdated'))
    const { card, ask } = snapshot
    const at = this.#runtime.clock.now()
    const done = await this.#update(asker, (tx) =>
      pin(tx, { id: ref.id, card, version: 1, at, ask: kept(ask) }),
    )
    if (done === null) return false
    presenter.pinned(asker.id, ref)
    this.#surface.line(asker.player, { key: 'system.pins.added' }, 'good')
    return true
  }

  /** Pins the newest card that can be. */
  async addNewest(asker: Asker): Promise<void> {
    const newest = this.#surface.presenter.newest(asker.id)
    if (newest === undefined) this.#refused(asker, failure('system:nothing_to_pin'))
    else await this.add(asker, newest)
  }

  /** Which pin a button takes away; null: another button. */
  removed(action: CardAction): string | null {
    return action.kind === 'server' && action.module === PINS_MODULE
      ? (action.params['remove'] ?? null)
      : null
  }

  /** Takes the pin away; the card whose button was pressed becomes the list of the others. */
  async remove(asker: Asker, id: string, card: CardRef): Promise<boolean> {
    const rest = await this.#update(asker, (tx) => (unpin(tx, id), pinsOf(tx)))
    if (rest === null) return false
    const list = cardOf(pinListCard, pinList(rest.value, this.#runtime.cardTypes))
    this.#surface.outcome(asker, {
      status: 'succeeded',
      message: null,
      cards: [{ mode: 'REPLACE', ref: card, card: list }],
    })
    return true
  }

  /** What a button asks for that opens a pinned card again; null: another button. */
  again(player: PlayerId, action: CardAction): Result<Ask> | null {
    const id = action.kind === 'server' && action.module === PINS_MODULE ? action.params['again'] : undefined
    if (id === undefined) return null
    const view = this.#runtime.store.online(player)
    const ask = view === null ? null : pinsOf(view).find((pin) => pin.id === id)?.ask
    if (ask === null || ask === undefined) return fail('system:pin_gone')
    return ok(ask.kind === 'text' ? ask : { ...ask, source: 'structured' })
  }

  /** Null: it was not done, and the asker was told. */
  async #update<R>(asker: Asker, change: (tx: Transaction) => R): Promise<{ readonly value: R } | null> {
    const { access, sessions, store } = this.#runtime
    const ended = sessions.stay(asker.id)
    const denied = access.check(asker.id, PINS_MODULE)
    const view = store.online(asker.id)
    const changed: Result<R> =
      denied !== null
        ? { ok: false, failure: denied }
        : ((await view?.update(change)) ?? fail('system:storage_failed'))
    if (ended() !== null) return null
    if (changed.ok) return { value: changed.value }
    this.#refused(asker, changed.failure)
    return null
  }

  #refused(asker: Asker, reason: Failure): false {
    this.#surface.failure(asker.player, reason)
    return false
  }
}

/** The way it came is none of the request's content. */
const kept = (ask: Ask | null) =>
  ask === null || ask.kind === 'text' ? ask : { kind: ask.kind, module: ask.module, input: ask.input }
