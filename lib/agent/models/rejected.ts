import { isJsonObject, parseJson } from '../../core/json.js'
import type { ProviderRow } from './provider.js'
import { OUTPUT_LIMIT, type BuiltBody } from './request-body.js'

const texts = (...values: unknown[]): string[] => values.filter((value) => typeof value === 'string')

/** `param` as OpenAI writes it, and the last place in `loc` as pydantic servers (vLLM, FastAPI) write it. */
function pointedAt(body: unknown): string[] {
  if (!isJsonObject(body)) return []
  const error = isJsonObject(body['error']) ? body['error'] : body
  const details: unknown[] = Array.isArray(body['detail']) ? body['detail'] : []
  const places = details.flatMap((detail) => {
    const loc: unknown[] = isJsonObject(detail) && Array.isArray(detail['loc']) ? detail['loc'] : []
    return texts(loc[0] === 'body' ? loc[1] : loc[0])
  })
  return [...texts(error['param']), ...places].map((name) => name.split(/[.[]/)[0] ?? '')
}

function messagesOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (!isJsonObject(body)) return ''
  const error = body['error']
  const nested = isJsonObject(error) ? texts(error['message']) : texts(error)
  return [...nested, ...texts(body['message'], body['detail'], body['msg'])].join('\n')
}

const escaped = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, '\\$&')

/** Whether a sentence speaks of the parameter. Plain words (`thinking`, `stream`) must look like a name in it. */
function mentions(sentence: string, name: string): boolean {
  const word = escaped(name)
  if (name.includes('_')) return new RegExp(`(?<![\\w])${word}(?![\\w])`).test(sentence)
  return [
    `['"\`]${word}(\\.\\w+)*['"\`]`,
    `(parameter|argument|field|option|property|key|input)s?( supplied)?:?\\s+${word}(?![\\w])`,
    `(?<![\\w])${word}(\\.\\w+)*\\s+(is|are)\\s+(not|un)`,
  ].some((pattern) => new RegExp(pattern, 'i').test(sentence))
}

/** The parameter's own name, and the names inside of it that are no plain words (`enable_thinking`). */
function namesOf(name: string, value: unknown): readonly string[] {
  const inner = isJsonObject(value) ? Object.entries(value) : []
  const words = inner.flatMap(([key, member]) => [key, ...texts(member)])
  return [name, ...words.filter((word) => word.includes('_'))]
}

/**
 * The purpose of the one parameter that a refusal (400, 422) names and that we can put in another form or do without;
 * null when it names none. The output limit changes only to another name of it that the refusal itself proposes.
 */
export function findRejected(errorText: string, sent: BuiltBody, row: ProviderRow): string | null {
  // not JSON: the text itself is the message
  const body = parseJson(errorText) ?? errorText
  const sentence = messagesOf(body)
  const limit = row.maxTokens.find((name) => sent.purposes.has(name))
  const next = limit === undefined ? undefined : row.maxTokens[row.maxTokens.indexOf(limit) + 1]
  if (next !== undefined && mentions(sentence, next)) return OUTPUT_LIMIT
  const droppable = [...sent.purposes.keys()]
    .filter((name) => name !== limit)
    // `stream` comes last: sentences about other parameters like to mention it.
    .sort((a, b) => Number(a === 'stream') - Number(b === 'stream'))
  const pointed = pointedAt(body)
  const named =
    droppable.find((name) => pointed.includes(name)) ??
    droppable.find((name) => mentions(sentence, name)) ??
    droppable.find((name) => namesOf(name, sent.body[name]).some((word) => mentions(sentence, word)))
  return named === undefined ? null : (sent.purposes.get(named) ?? null)
}
