import t from 'tap'
import { FailureError, failure } from '../../../lib/core/failure.js'
import { fail, ok, type Result } from '../../../lib/core/result.js'
import { serveJob, type JobTable } from '../../../lib/pool/index.js'

const table: JobTable = new Map<string, (job: unknown) => Result<unknown> | Promise<Result<unknown>>>([
  ['value', () => ok({ size: 3 })],
  ['nothing', () => Promise.resolve(ok(undefined))],
  ['refusal', () => fail('system:unknown_item', { query: 'x' }, 'why')],
  ['function', () => ok(() => {})],
  ['throw', () => Promise.reject(new Error('a bug'))],
  ['throw-failure', () => Promise.reject(new FailureError(failure('system:busy')))],
])

const rows: [unknown, object][] = [
  [{ kind: 'value' }, { ok: true, value: { size: 3 } }],
  [{ kind: 'nothing' }, { ok: true }],
  [{ kind: 'refusal' }, { ok: false, code: 'system:unknown_item', params: { query: 'x' }, cause: 'why' }],
  [{ kind: 'function' }, { ok: false, code: 'system:internal', cause: /could not be cloned/ }],
  [{ kind: 'throw' }, { ok: false, code: 'system:internal', cause: /a bug/ }],
  [{ kind: 'throw-failure' }, { ok: false, code: 'system:busy', cause: '' }],
  [{ kind: 'constructor' }, { ok: false, code: 'system:protocol' }],
  [{ kind: 7 }, { ok: false, code: 'system:protocol' }],
  [null, { ok: false, code: 'system:protocol' }],
]

for (const [job, answer] of rows) {
  void t.test(`job ${JSON.stringify(job)}`, async (t) => {
    const served = await serveJob(table, job)
    t.match(served, answer)
    t.doesNotThrow(() => structuredClone(served))
  })
}
