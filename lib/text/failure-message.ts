import type { Failure } from '../core/failure.js'
import type { Message } from './component.js'

/** The sentence that players see for a failure. Its cause stays out of it. */
export function failureMessage(failure: Pick<Failure, 'code' | 'params'>): Message {
  return { key: `system.failure.${failure.code.slice('system:'.length)}`, params: failure.params }
}
