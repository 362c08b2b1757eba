import type { EventSubmission, TraceListener } from '../../lib/agent/index.js'
import type { PlayerId, RequestId } from '../../lib/core/ids.js'
import type { Result } from '../../lib/core/result.js'
import type { Notice } from '../../lib/notifications/index.js'

/** Where a System stands. */
export type SystemState = 'starting' | 'ready' | 'off' | 'stopped'

/** What `serv.system` gives to other plugins. */
export interface SystemHandle {
  readonly state: SystemState
  /** Resolves when the System is ready, or off. */
  readonly ready: Promise<SystemState>
  /** Resolves when the server was closed and nothing of the System is left. */
  readonly closed: Promise<void>
  /**
   * Tells what requests, models and tools do, from now until the returned function is called. The listener is called in the
   * very turn, must be synchronous and do little; one that throws is named in the log and hears nothing any more.
   */
  onTrace(listener: TraceListener): () => void
  /**
   * Keeps an event task of a player who is online and lets it run; resolves with the task's id once it is durable, or with
   * why nothing was kept: `system:disconnected`, `unknown_module` (also one that isn't for events), `not_understood` (the
   * input), `no_permission` (the rule is gone or says no), `busy`, `journal_full`, `stopping` (also before the System is
   * ready), and why the module is closed to the player.
   */
  submitEvent(submission: EventSubmission): Promise<Result<RequestId>>
  /**
   * Tells a player something in its turn: as a chat message, and beside it as the notice says. Refused, with nothing told:
   * `system:not_understood` (the notice; its cause says what is wrong), `disconnected`, `rate_limited` (10 at once for one
   * player in a namespace, then one more every 3 s), `stopping` (also before the System is ready), and why the System is
   * closed to the player.
   */
  notify(player: PlayerId, notice: Notice): Result<void>
}
