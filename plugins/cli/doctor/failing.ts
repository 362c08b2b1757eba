import type { ChatOutcome } from '../../../lib/agent/models/index.js'
import type { FailureCode } from '../../../lib/core/failure.js'
import type { Findings } from './findings.js'
import type { Probe } from './prober.js'

type Failed = Extract<ChatOutcome, { ok: false }>

/** What is looked at and what to do, by the code of the first call. */
const ADVICE: ReadonlyMap<FailureCode, readonly [what: string, text: string]> = new Map([
  ['system:model_auth', ['key', 'refused: it is wrong, revoked, or of another region or project']],
  [
    'system:model_balance',
    ['credit', 'used up, or the account is closed: nothing is asked before that is mended'],
  ],
  [
    'system:model_rate_limited',
    ['rate', 'too many requests at the moment: try again, or ask for a higher limit'],
  ],
  ['system:model_too_large', ['reply', 'endless or far too large: this is no Chat Completions endpoint']],
  ['system:model_invalid', ['reply', 'no completion: check baseUrl, which usually ends in /v1']],
  ['system:model_empty', ['reply', 'empty: take another model']],
  ['system:model_truncated', ['reply', 'cut off before its end: a proxy, or a limit of the model, cuts it']],
  ['system:model_filtered', ['reply', "held back by the provider's filter"]],
  ['system:internal', ['address', 'baseUrl or key can not be used at all']],
])

/** Says why the first call came to nothing, after what it shows to be right. */
export function sayWhyNot(probe: Probe, outcome: Failed, findings: Findings): void {
  const { last } = probe
  const { code, cause, httpStatus } = outcome
  const status = httpStatus === 0 ? '' : ` (HTTP ${httpStatus})`
  if (httpStatus === 0 && code !== 'system:internal') return unreached(outcome, findings)
  if (code !== 'system:internal') findings.ok('reach', 'the endpoint answers')
  if (code === 'system:model_refused') {
    const isModel = last?.namesModel === true || httpStatus === 404
    if (isModel)
      findings.fail('model', `not known there, or the address is wrong${status}: check model and baseUrl`)
    else findings.fail('request', `refused${status}: check provider and extra in system-model.json`)
    return
  }
  if (last?.reply?.reasoned === true) {
    findings.fail(
      'thinking off',
      'the model thinks and never comes to its answer: take one that can do without',
    )
    return
  }
  if (code === 'system:model_timeout')
    return findings.fail(
      'reply',
      `it began and did not end in time${status}: the server is too slow, or stuck`,
    )
  const advice = ADVICE.get(code)
  if (advice === undefined) {
    findings.fail(
      'reply',
      `${cause ?? code}${cause === undefined ? status : ''}: the provider or a proxy has trouble`,
    )
  } else findings.fail(advice[0], `${advice[1]}${status}`)
}

function unreached({ code, cause }: Failed, findings: Findings): void {
  if (cause !== undefined) findings.fail('reach', `${cause}: start the server there, or mend baseUrl`)
  else if (code === 'system:model_timeout')
    findings.fail(
      'reach',
      'no answer at all in time: the server is stuck, loading its model, or behind a wall',
    )
  else findings.fail('reach', code)
}
