import { parseModelObject } from '../../codec/index.js'
import type { FailureCode } from '../../core/failure.js'
import { utf8Bytes } from '../../core/json.js'
import { MESSAGE_BYTES } from '../../pool/index.js'

/** Fields of an answer whose schema isn't given. */
const DEFAULT_FIELDS = ['text', 'sources']

/** What a reply says. */
export type Decision =
  | { readonly kind: 'tool'; readonly tool: string; readonly inputText: string }
  /** JSON text of the answer's fields, without `type`. */
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'invalid'; readonly code: FailureCode }

/** What a reply is read against. */
export interface ReplyRules {
  /** Only an answer is accepted; one without `type` will do. */
  readonly finalOnly: boolean
  readonly answerFields: ReadonlySet<string>
  readonly toolIds: ReadonlySet<string>
}

const INVALID: Decision = { kind: 'invalid', code: 'system:model_invalid' }

/** The names of an answer's fields by its JSON Schema text. */
export function answerFieldsOf(schemaText: string): ReadonlySet<string> {
  if (schemaText === '') return new Set(DEFAULT_FIELDS)
  const schema = parseModelObject(schemaText)
  const properties = schema.ok ? schema.value['properties'] : undefined
  return new Set(
    typeof properties === 'object' && properties !== null ? Object.keys(properties) : DEFAULT_FIELDS,
  )
}

/** Reads a reply. A tool name is passed on as it is: which ones exist is the kernel's business. */
export function readReply(text: string, rules: ReplyRules): Decision {
  const parsed = parseModelObject(text)
  if (!parsed.ok) return { kind: 'invalid', code: parsed.failure.code }
  const { type, ...rest } = parsed.value
  if (type === 'answer') return answerOf(rest, rules)
  if (typeof type === 'string' && type !== '') {
    const input: unknown = Object.hasOwn(rest, 'input') ? rest['input'] : {}
    return bounded({ kind: 'tool', tool: type, inputText: JSON.stringify(input) })
  }
  const names = Object.keys(rest)
  const isBareAnswer =
    type === undefined && names.length > 0 && names.every((name) => rules.answerFields.has(name))
  return rules.finalOnly && isBareAnswer ? answerOf(rest, rules) : INVALID
}

/** Reads a route's choice. It goes to the kernel whole: only it knows the catalogue's schemas. */
export function readChoice(text: string): Decision {
  const parsed = parseModelObject(text)
  if (!parsed.ok) return { kind: 'invalid', code: parsed.failure.code }
  return bounded({ kind: 'answer', text: JSON.stringify(parsed.value) })
}

function answerOf(fields: Record<string, unknown>, rules: ReplyRules): Decision {
  const isDisguised = Object.values(fields).some(
    (value) => typeof value === 'string' && isToolJson(value, rules),
  )
  return isDisguised ? INVALID : bounded({ kind: 'answer', text: JSON.stringify(fields) })
}

/** Whether a text is a tool request: such JSON is never passed on as an answer. */
function isToolJson(text: string, rules: ReplyRules): boolean {
  if (!text.trimStart().startsWith('{')) return false
  const parsed = parseModelObject(text)
  if (!parsed.ok) return false
  const { type, input } = parsed.value
  return typeof type === 'string' && (input !== undefined || rules.toolIds.has(type))
}

/** Numbers grow when they are written out again, so the size is taken of what is sent. */
function bounded(decision: Exclude<Decision, { kind: 'invalid' }>): Decision {
  const bytes =
    decision.kind === 'tool'
      ? utf8Bytes(decision.tool) + utf8Bytes(decision.inputText)
      : utf8Bytes(decision.text)
  // the head of a message takes a few bytes as well
  return bytes <= MESSAGE_BYTES - 64 ? decision : { kind: 'invalid', code: 'system:model_too_large' }
}
