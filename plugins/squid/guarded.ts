import type { Logger } from '../../lib/core/logger.js'

/**
 * Wraps a hook into flying-squid: whatever it throws or rejects with is logged by `what` and goes no further. An error that
 * escapes from an event of flying-squid's ends the process.
 */
export function guarded<A extends readonly unknown[]>(
  logger: Logger,
  what: string,
  hook: (...args: A) => void | Promise<void>,
): (...args: A) => void {
  const report = (thrown: unknown): void => logger.error(`${what} failed`, thrown)
  return (...args) => {
    try {
      hook(...args)?.catch(report)
    } catch (thrown) {
      report(thrown)
    }
  }
}
