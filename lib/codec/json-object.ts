import { fail, ok, type Result } from '../core/result.js'

/** The one JSON object that a model's reply consists of; `system:model_invalid`. */
export function parseModelObject(text: string): Result<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return ok(value as Record<string, unknown>)
    }
  } catch (cause) {
    return fail('system:model_invalid', {}, cause)
  }
  return fail('system:model_invalid')
}
