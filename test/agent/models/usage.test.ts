import t from 'tap'
import { replies } from '../../../lib/testing/index.js'
import { openRig } from './provider.js'

/** [prompt, cached, output, reasoning], or null: the caller charges its reservation. */
const USAGES: readonly (readonly [string, unknown, unknown])[] = [
  [
    'DeepSeek',
    {
      prompt_tokens: 36100,
      prompt_cache_hit_tokens: 21600,
      prompt_cache_miss_tokens: 14500,
      completion_tokens: 1200,
    },
    [36100, 21600, 1200, 0],
  ],
  [
    'details',
    { prompt_tokens: 36100, prompt_tokens_details: { cached_tokens: 21600 }, completion_tokens: 1200 },
    [36100, 21600, 1200, 0],
  ],
  [
    'reasoning',
    { prompt_tokens: 5, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 7 } },
    [5, 0, 9, 7],
  ],
  [
    'parts only',
    { prompt_cache_hit_tokens: 3, prompt_cache_miss_tokens: 4, completion_tokens: 1 },
    [7, 3, 1, 0],
  ],
  [
    'hits beyond the prompt',
    { prompt_tokens: 10, prompt_cache_hit_tokens: 99, completion_tokens: 1 },
    [10, 10, 1, 0],
  ],
  ['negative hits', { prompt_tokens: 10, prompt_cache_hit_tokens: -5, completion_tokens: 1 }, [10, 0, 1, 0]],
  [
    'hits as text',
    { prompt_tokens: 36100, prompt_cache_hit_tokens: '21600', completion_tokens: 1 },
    [36100, 21600, 1, 0],
  ],
  [
    'hits null',
    { prompt_tokens: 10, prompt_cache_hit_tokens: null, prompt_tokens_details: null, completion_tokens: 1 },
    [10, 0, 1, 0],
  ],
  [
    'one shape broken, the other good',
    {
      prompt_tokens: 10,
      prompt_cache_hit_tokens: 'x',
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens: 1,
    },
    [10, 4, 1, 0],
  ],
  [
    'reasoning beyond the output',
    { prompt_tokens: 10, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 8 } },
    [10, 0, 1, 1],
  ],
  ['no output', { prompt_tokens: 10 }, null],
  ['no prompt', { completion_tokens: 10 }, null],
  ['a prompt of nothing', { prompt_tokens: 0, completion_tokens: 10 }, null],
  ['negative', { prompt_tokens: -1, completion_tokens: 10 }, null],
  ['a fraction', { prompt_tokens: 1.5, completion_tokens: 10 }, null],
  ['absurdly many', { prompt_tokens: 1e15, completion_tokens: 10 }, null],
  ['words', { prompt_tokens: 'many', completion_tokens: 10 }, null],
  ['null', null, null],
  ['a text', 'free', null],
  ['a list', [1, 2], null],
]

for (const provider of ['deepseek', 'generic'] as const) {
  void t.test(`usage, ${provider}`, async (t) => {
    const rig = await openRig(t, { provider })
    for (const [name, usage, expected] of USAGES) {
      rig.provider.script(replies.withUsage('yes', usage))
      const got = (await rig.send()).usage
      t.strictSame(got === null ? null : [got.prompt, got.cached, got.output, got.reasoning], expected, name)
    }
  })
}
