/** What the provider says a call used is what `/system usage` shows. */
import t from 'tap'
import { faults, replies } from '../../lib/testing/index.js'
import { DEFAULT_VERSION } from '../support/squid.js'
import { consoleSays, joinReader, openSystem } from '../support/system.js'

const ANSWER = { type: 'answer', text: 'At the bottom of the world.', sources: [] }
const used = (prompt: number, cached: number, output: number, reasoning: number) => ({
  prompt_tokens: prompt,
  completion_tokens: output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
})
const CONFIG = {
  'system-agent': { dailyModelCalls: 2 },
  'system-access': { admins: ['alice'], adminsInOfflineMode: true },
  'system-model-pricing': {
    currency: 'CNY',
    prices: [
      { model: 's?m', hit: 9, miss: 9, output: 9 },
      { model: 'si*', hit: 100, miss: 1_000, output: 2_000 },
    ],
  },
}

void t.test('a player reads its own usage, administrators and the console that of all', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, { config: CONFIG })
  const [alice, bob] = [await joinReader(t, system, 'alice'), await joinReader(t, system, 'bob', 'zh_cn')]
  await alice.next()
  await bob.next()
  system.provider.script(replies.withUsage(ANSWER, used(1_200, 200, 30, 10)))
  await alice.askText('/system ask where is bedrock?')
  // 200 at 100, 1,000 at 1,000, 30 at 2,000 for a million
  const own = await alice.askText('/system usage')
  t.match(own, /^Your AI usage on \d{4}-\d\d-\d\d\n/)
  t.match(
    own,
    'Calls today: 1 of 2\nTokens read: 1200, 200 of them remembered\nTokens written: 30, 10 of them for thinking\nCost today: 1.08 CNY',
  )
  t.notMatch(own, /counted at their most|without a price/)

  system.provider.script(faults.missingUsage(ANSWER))
  await bob.askText('/system ask 基岩在哪里？')
  const bobs = await bob.askText('/system usage')
  t.match(bobs, /今日调用：1（上限 2）\n/)
  t.match(bobs, /有 1 次调用按上限计算/)
  t.match(await bob.askText('/system usage all'), /不|没有/, 'not for players')

  const all = await alice.askText('/system usage all')
  t.match(all, /^The server's AI usage on .*\nCalls today: 2\n/)
  t.match(all, /Last 30 days: calls 2, tokens \d+, \d+\.\d+ CNY, estimated 1\n/)
  t.match(all, 'alice today: calls 1, tokens 1230, 1.08 CNY')
  t.match(all, /bob today: calls 1, tokens \d+, \d+\.\d+ CNY, estimated 1/)
  t.strictSame(await consoleSays(system, 'system usage all'), all.split('\n'))
  t.match((await consoleSays(system, 'system usage')).join('\n'), 'system usage all')
  const status = await consoleSays(system, 'system status')
  t.match(
    status.find((line) => line.startsWith('usage: ')),
    /^usage: day=\S+ cost-micro=\d+ currency=CNY estimated=1 unpriced=0 ledger=on$/,
  )

  system.provider.script(replies.withUsage(ANSWER, used(10, 0, 1, 0)))
  await alice.askText('/system ask and where is lava?')
  t.match(await alice.askText('/system ask and obsidian?'), 'You have used up your AI share for today')
  t.match(await alice.askText('/system usage'), 'Calls today: 2 of 2')
  await consoleSays(system, 'system revoke alice')
  t.match(
    (await consoleSays(system, 'system usage all')).join('\n'),
    'alice today: calls 2',
    'revoking deletes none of it',
  )
})

void t.test('a model without a price is shown as such', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, { config: { 'system-model-pricing': { prices: [] } } })
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  system.provider.script(replies.withUsage(ANSWER, used(10, 0, 1, 0)))
  await alice.askText('/system ask where is bedrock?')
  const own = await alice.askText('/system usage')
  t.match(own, 'Tokens read: 10\nTokens written: 1\n', 'what there was nothing of is not counted')
  t.match(own, 'Calls and searches without a price here, not part of the cost: 1')
  t.notMatch(own, /Cost/)
})
