import { failure, type Failure } from '../../core/failure.js'
import type { RouteSource } from '../live-request.js'
import type { RegisteredModule } from '../module.js'

/** Whether nobody has read the sentence but an index or a cache: nothing that writes begins with that. */
export const isGuess = (source: RouteSource | null): boolean => source === 'local' || source === 'cache'

/** Whether a sentence can come this way; the others begin with a button, a command or an event. */
export const isWayOfText = (source: RouteSource): boolean => isGuess(source) || source === 'model'

/**
 * Why a module may not be run on this way, or null. The execution door and the engine both ask, whatever routing says:
 * STRUCTURED_ONLY is run by buttons and events alone, EXPLICIT_ONLY by nobody's guess.
 */
export function selectionRefusal(
  { routing: { selection } }: Pick<RegisteredModule, 'routing'>,
  source: RouteSource | null,
): Failure | null {
  const isStructured = source === 'structured' || source === 'event'
  const mayRun =
    selection === 'NORMAL' ||
    isStructured ||
    (selection === 'EXPLICIT_ONLY' && source !== null && !isGuess(source))
  return mayRun ? null : failure('system:no_permission')
}
