import type { Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import { guarded } from './guarded.js'
import type { SquidClient, SquidServer } from './types.js'

const LOCALE = /^[a-z]{2,4}(_[a-z0-9]{2,8})?$/
const DEFAULT_LOCALE = 'en_us'
/** A client that has not told its language by then doesn't. */
const PATIENCE_MS = 1_000

/**
 * The language of each client, from its `settings` packet: flying-squid keeps only the view distance. The packet comes
 * in the configuration phase too (1.20.2 on), so it is heard on the connection. It is a client's string: anything that
 * doesn't look like a locale counts as `en_us`.
 */
export class ClientLocales {
  readonly #serv: SquidServer
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #locales = new WeakMap<SquidClient, string>()
  readonly #onChange: (client: SquidClient) => void
  readonly #detach = new Map<SquidClient, () => void>()

  constructor(parts: {
    serv: SquidServer
    logger: Logger
    clock: Clock
    onChange: (client: SquidClient) => void
  }) {
    this.#serv = parts.serv
    this.#logger = parts.logger
    this.#clock = parts.clock
    this.#onChange = parts.onChange
    this.#serv._server.on('connection', this.#attach)
  }

  of(client: SquidClient): string {
    return this.#locales.get(client) ?? DEFAULT_LOCALE
  }

  /**
   * Resolves when the client has told its language, or is not going to: before 1.20.2 clients tell it only when they
   * are in the world already.
   */
  whenKnown(client: SquidClient): Promise<void> {
    if (this.#locales.has(client) || client.ended === true) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        cancelTimer()
        client.removeListener('settings', done)
        client.removeListener('end', done)
        resolve()
      }
      const cancelTimer = this.#clock.after(PATIENCE_MS, done)
      client.on('settings', done)
      client.on('end', done)
    })
  }

  close(): void {
    this.#serv._server.removeListener('connection', this.#attach)
    for (const detach of this.#detach.values()) detach()
    this.#detach.clear()
  }

  readonly #attach = (client: SquidClient): void => {
    const listen = guarded(this.#logger, 'client settings', (packet: unknown) => {
      const locale = readLocale(packet)
      if (locale === null || locale === this.#locales.get(client)) return
      this.#locales.set(client, locale)
      this.#onChange(client)
    })
    const detach = (): void => {
      client.removeListener('settings', listen)
      client.removeListener('end', detach)
      this.#detach.delete(client)
    }
    client.on('settings', listen)
    client.once('end', detach)
    this.#detach.set(client, detach)
  }
}

function readLocale(packet: unknown): string | null {
  if (typeof packet !== 'object' || packet === null) return null
  const locale: unknown = Reflect.get(packet, 'locale')
  if (typeof locale !== 'string') return null
  const folded = locale.toLowerCase()
  return LOCALE.test(folded) ? folded : DEFAULT_LOCALE
}
