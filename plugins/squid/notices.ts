import type { AgentResult, TraceStream } from '../../lib/agent/index.js'
import type { Clock } from '../../lib/core/clock.js'
import { failure, type FailureCode } from '../../lib/core/failure.js'
import { identifier, randomIds, type PlayerId } from '../../lib/core/ids.js'
import type { Logger } from '../../lib/core/logger.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import {
  NoticeLimits,
  Notifications,
  readNotice,
  type Notice,
  type Notification,
  type NotificationSwitches,
} from '../../lib/notifications/index.js'
import { failureMessage, type Languages, type Message } from '../../lib/text/index.js'
import { guarded } from './guarded.js'
import { Hud, RequestBars } from './hud/index.js'
import type { Runtime } from './runtime.js'
import { safeWrite } from './shield/index.js'
import type { Surface } from './surface/index.js'
import { textEra } from './text/index.js'
import type { SquidPlayer, SquidServer } from './types.js'

const EVENT_SOUND = identifier('minecraft:entity.experience_orb.pickup')

export interface NoticesParts {
  readonly serv: SquidServer
  readonly clock: Clock
  readonly logger: Logger
  readonly trace: TraceStream
  readonly languages: Languages
  readonly runtime: Runtime
  readonly surface: Pick<Surface, 'line' | 'outcome' | 'languageOf'>
  readonly find: (player: PlayerId) => SquidPlayer | undefined
  /** The same for a program at the player's client. */
  readonly program: (player: SquidPlayer, text: string) => void
  /** Whether the player looks at something that nothing may cover. */
  readonly isInScreen: (player: SquidPlayer) => boolean
}

/** What players are told without having asked, in its turn, and the bar of what they wait for. */
export class Notices {
  readonly hud: Hud
  readonly #parts: NoticesParts
  readonly #notifications: Notifications
  readonly #bars: RequestBars
  readonly #limits: NoticeLimits
  readonly #stop: readonly (() => void)[]
  #events = 0

  constructor(parts: NoticesParts) {
    this.#parts = parts
    const { serv, clock, logger, runtime, surface } = parts
    this.hud = new Hud({
      serv,
      era: textEra(serv),
      write: safeWrite,
      newUuid: () => randomIds.requestId(),
    })
    this.#limits = new NoticeLimits(clock)
    this.#bars = new RequestBars({
      ...parts,
      hud: this.hud,
      languageOf: (player) => surface.languageOf(player),
      policyOf: (module) => runtime.engine.policyOf(module),
    })
    this.#notifications = this.#open()
    this.#stop = [
      parts.trace.on(guarded(logger, 'the bar of a request', this.#bars.hear)),
      runtime.sessions.onEnd((player) => {
        this.#notifications.forget(player)
        this.#limits.forget(player)
      }),
    ]
  }

  #open(): Notifications {
    const { clock, logger, runtime, isInScreen, find } = this.#parts
    return new Notifications({
      clock,
      logger,
      isHere: (player) => find(player) !== undefined,
      heldBy: (id) => {
        const player = find(id)
        if (player !== undefined && isInScreen(player)) return 'screen'
        return runtime.engine.running(id) === null ? null : 'request'
      },
      switches: (player) => runtime.preferences.of(player),
      show: (player, notification, wanted) => this.#show(player, notification, wanted),
    })
  }

  /** Tells the player in its turn, unless it has gone. */
  tell(player: PlayerId, notification: Omit<Notification, 'cards'>): void {
    this.#notifications.offer(player, { cards: [], ...notification })
  }

  /** What an event task gave. A silent result changes a card and is no news. */
  eventResult(id: PlayerId, result: AgentResult): void {
    const player = this.#parts.find(id)
    if (player === undefined) return
    if (result.silent === true || result.failure !== undefined) {
      this.#parts.surface.outcome({ player, id }, result, { isUnasked: true })
      return
    }
    this.#events += 1
    this.#notifications.offer(id, {
      id: `event ${this.#events}`,
      priority: 'normal',
      message: result.message,
      cards: result.cards,
      sound: EVENT_SOUND,
    })
  }

  /** Calls of the model are off for a while: a line in the log and one for each administrator who is online. */
  breaker(code: FailureCode, administers: (player: SquidPlayer) => boolean): void {
    const params = { reason: failureMessage(failure(code)) }
    this.#tellAdmins('breaker', { key: 'system.admin.breaker', params }, administers)
  }

  /** A player's last sign-in lies so far ahead that only an administrator can help. */
  signinAhead(id: PlayerId, day: string, administers: (player: SquidPlayer) => boolean): void {
    const player = this.#parts.find(id)?.username ?? id
    const message = { key: 'system.admin.signin_ahead', params: { player, day } }
    this.#tellAdmins(`signin ${id}`, message, administers)
  }

  #tellAdmins(id: string, message: Message, administers: (player: SquidPlayer) => boolean): void {
    const { runtime, languages, logger, find } = this.#parts
    logger.warn(languages.text(message, 'en_us'))
    for (const { player } of runtime.sessions.all()) {
      const found = find(player)
      if (found !== undefined && administers(found))
        this.tell(player, { id, priority: 'high', message, tone: 'bad' })
    }
  }

  /** What a plugin tells a player; see `SystemHandle.notify`. */
  notify(player: PlayerId, given: Notice): Result<void> {
    const notice = readNotice(given)
    if (!notice.ok) return notice
    const { access, cardTypes } = this.#parts.runtime
    const [update] = notice.value.cards
    const type = update?.mode === 'SHOW' ? update.card.type : undefined
    if (type !== undefined && !cardTypes.has(type))
      return fail('system:not_understood', {}, new TypeError(`card: no type ${type} is registered`))
    if (this.#parts.find(player) === undefined) return fail('system:disconnected')
    const denied = access.check(player, null)
    if (denied !== null) return { ok: false, failure: denied }
    if (!this.#limits.take(player, notice.value.id)) return fail('system:rate_limited')
    this.#notifications.offer(player, notice.value)
    return ok(undefined)
  }

  /** Where the player's request stands. */
  progress(player: PlayerId, message: Message): void {
    this.#bars.progress(player, message)
  }

  /** In the world, its data read. */
  arrived(player: PlayerId): void {
    this.#notifications.arrived(player)
  }

  /** Called once per tick of the server. */
  tick(): void {
    this.#bars.tick()
    this.#notifications.tick()
  }

  close(): void {
    for (const stop of this.#stop) stop()
    this.#bars.close()
    this.#notifications.close()
  }

  #show(id: PlayerId, notification: Notification, wanted: NotificationSwitches): void {
    const { surface, find } = this.#parts
    const player = find(id)
    if (player === undefined) return
    const { message, cards, tone = 'normal', actionBar, title, toast, sound } = notification
    if (cards.length > 0)
      surface.outcome({ player, id }, { status: 'succeeded', message, cards }, { isUnasked: true })
    else if (message !== null) surface.line(player, message, tone)
    if (message !== null)
      this.#parts.program(player, this.#parts.languages.text(message, surface.languageOf(player)))
    if (!wanted.notifications) return
    if (actionBar !== undefined) this.hud.actionBar(player, this.#render(player, actionBar))
    if (title !== undefined) this.hud.title(player, this.#render(player, title))
    if (toast !== undefined) {
      // a challenge has a fanfare of its own
      const frame = !wanted.sounds && toast.frame === 'challenge' ? 'goal' : toast.frame
      this.hud.toast(player, { title: this.#render(player, toast.title), icon: toast.icon, frame })
    }
    if (sound !== undefined && wanted.sounds) this.hud.sound(player, sound)
  }

  #render(player: SquidPlayer, message: Message) {
    return this.#parts.languages.render(message, this.#parts.surface.languageOf(player))
  }
}
