/** Errors and usages as each vendor of the provider table writes them. */
import t from 'tap'
import type { ProviderName } from '../../../lib/agent/models/endpoint.js'
import { faults, replies } from '../../../lib/testing/index.js'
import { openRig } from './provider.js'

/** Error bodies as vendors write them. */
const QUOTA: readonly (readonly [ProviderName, ReturnType<typeof faults.status>])[] = [
  ['deepseek', faults.status(402, { message: 'Insufficient Balance' })],
  ['qwen', faults.status(400, { code: 'Arrearage', message: 'Access denied.' })],
  ['qwen', faults.otherJson({ code: 'Arrearage', message: 'Access denied.' }).with({ status: 403 })],
  ['openai', faults.insufficientQuota()],
  ['generic', faults.status(402)],
]

for (const [provider, step] of QUOTA) {
  void t.test(`${provider}: out of credit, status ${step.plan.status}`, async (t) => {
    const rig = await openRig(t, { provider })
    rig.provider.script(step)
    t.match(await rig.send(), { ok: false, code: 'system:model_balance', unbilled: true })
    t.equal(rig.provider.requests.length, 1, 'final')
  })
}

void t.test('a model that is still being loaded did no work: llama.cpp says so', async (t) => {
  const loading = faults.otherJson({
    error: { code: 503, message: 'Loading model', type: 'unavailable_error' },
  })
  for (const [name, unbilled] of [
    ['llama.cpp', true],
    ['generic', false],
  ] as const) {
    const { provider, send } = await openRig(t, { provider: name })
    provider.script(loading.with({ status: 503 }))
    t.match(await send(), { ok: false, code: 'system:model_unavailable', unbilled })
  }
})

void t.test('qwen: throttled under another status', async (t) => {
  const { provider, send } = await openRig(t, { provider: 'qwen' })
  provider.script(faults.status(403, { code: 'Throttling.RateQuota' }))
  t.match(await send(), { ok: false, code: 'system:model_rate_limited', unbilled: true })
})

/** `[prompt, cached, output]` of a usage in the vendor's own form. */
const USAGES: readonly (readonly [ProviderName, object, readonly number[]])[] = [
  ['deepseek', { prompt_tokens: 9, prompt_cache_hit_tokens: 4, completion_tokens: 2 }, [9, 4, 2]],
  [
    'qwen',
    { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens: 2 },
    [9, 4, 2],
  ],
  [
    'openai',
    { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens: 2 },
    [9, 4, 2],
  ],
  [
    'vllm',
    { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 }, completion_tokens: 2 },
    [9, 4, 2],
  ],
  ['vllm', { prompt_tokens: 9, prompt_tokens_details: null, completion_tokens: 2 }, [9, 0, 2]],
  ['ollama', { prompt_tokens: 9, completion_tokens: 2 }, [9, 0, 2]],
  ['generic', { prompt_tokens: 9, prompt_cache_hit_tokens: 4, completion_tokens: 2 }, [9, 4, 2]],
]

void t.test('cache hits where each vendor writes them', async (t) => {
  for (const [provider, usage, expected] of USAGES) {
    const rig = await openRig(t, { provider })
    rig.provider.script(replies.withUsage('yes', usage))
    const got = (await rig.send()).usage
    t.strictSame(got === null ? null : [got.prompt, got.cached, got.output], expected, provider)
  }
})

void t.test('llama.cpp: timings stand for a usage that is missing', async (t) => {
  const { provider, send } = await openRig(t, { provider: 'llama.cpp' })
  const chunk = {
    choices: [{ delta: { content: 'yes' }, finish_reason: 'stop' }],
    timings: { cache_n: 30, prompt_n: 12, predicted_n: 5 },
  }
  const raw = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`
  provider.script(replies.text('').with({ raw }))
  t.match(await send(), { ok: true, usage: { prompt: 42, cached: 30, output: 5 } })
})
