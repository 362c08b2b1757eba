import type { Clock } from '../core/clock.js'
import { isIdentifier, type Identifier, type PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import { within } from '../core/within.js'
import { AuthorTime } from './author-time.js'
import { RegistrationError } from './registration-error.js'

/** A hook that takes longer is not waited for. */
const HOOK_MS = 3_000

/** Clears what its owner holds of a player outside of the player's records. */
export type RevokedHook = (player: PlayerId) => void | Promise<void>

/** What features and extensions do when a player's System is taken. Filled at start-up. */
export class RevokedHooks {
  #hooks = new Map<Identifier, RevokedHook>()

  /** One hook per owner. Throws a RegistrationError. */
  add(owner: Identifier, hook: RevokedHook): void {
    if (!isIdentifier(String(owner)))
      throw new RegistrationError(`${String(owner)} is no id of the form namespace:path`)
    if (typeof hook !== 'function') throw new RegistrationError(`${owner}: the hook is no function`)
    if (this.#hooks.has(owner)) throw new RegistrationError(`${owner} has a hook already`)
    this.#hooks.set(owner, hook)
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const before = new Map(this.#hooks)
    return () => {
      this.#hooks = before
    }
  }

  /**
   * Runs all hooks side by side, so that none waits for another; resolves when each has ended or had its time, or at once
   * when `stopped` does. Never rejects: the log names who failed or was too slow.
   */
  async run(
    player: PlayerId,
    parts: { readonly clock: Clock; readonly logger: Logger; readonly stopped: Promise<unknown> },
  ): Promise<void> {
    await Promise.all([...this.#hooks].map(([owner, hook]) => inTime(owner, () => hook(player), parts)))
  }
}

async function inTime(
  owner: Identifier,
  hook: () => void | Promise<void>,
  parts: { readonly clock: Clock; readonly logger: Logger; readonly stopped: Promise<unknown> },
): Promise<void> {
  const { clock, logger, stopped } = parts
  const ended = Promise.race([guarded(owner, hook, parts), stopped])
  if ((await within(ended, { clock, ms: HOOK_MS, late: 'late' })) === 'late')
    logger.warn(`the revoked hook of ${owner} still runs after ${HOOK_MS} ms and is not waited for`)
}

async function guarded(
  owner: Identifier,
  hook: () => void | Promise<void>,
  parts: { readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
  const time = new AuthorTime(`the revoked hook of ${owner}`, parts)
  try {
    time.begin()
    const running = hook()
    time.stop()
    await running
  } catch (thrown) {
    time.stop()
    parts.logger.error(`the revoked hook of ${owner} failed`, thrown)
  }
}
