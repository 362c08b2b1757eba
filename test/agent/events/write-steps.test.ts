/** Write steps: change and receipt are one, made once, by whoever runs. */
import t from 'tap'
import { z } from 'zod'
import type { ExecutionContext, Tool } from '../../../lib/agent/index.js'
import { stepFingerprint } from '../../../lib/agent/write-steps.js'
import { failure, FailureError } from '../../../lib/core/failure.js'
import { identifier } from '../../../lib/core/ids.js'
import { codeOf, DONE, turn } from '../../support/kernel.js'
import { LIMITS } from '../../support/player-store.js'
import { COUNT, countUp } from '../../support/stored-things.js'
import { count, countBy, gate, Stage } from './stage.js'

const codes = (results: readonly { ok: boolean; failure?: { code: string } }[]) =>
  results.map((result) => result.failure?.code ?? 'ok')

void t.test('receipt and change are one commit; the output comes out of the receipt', async (t) => {
  const outputs: unknown[] = []
  const stage = new Stage({
    execute: async (context) => {
      outputs.push(await context.tool(count, { by: 2 }), await context.tool(count, { by: 3 }))
      return DONE
    },
  })
  await stage.join()
  const outcome = await stage.ask()
  t.equal(codeOf(outcome), 'ok')
  t.strictSame(outputs, [
    { ok: true, value: { n: 2 } },
    { ok: true, value: { n: 5 } },
  ])
  const { n, receipts } = await stage.kept()
  t.equal(n, 5)
  t.match(
    [...receipts],
    [
      ['test.count', { fingerprint: stepFingerprint('test:count', { by: 2 }), outcome: { n: 2 } }],
      ['test.count/2', { fingerprint: stepFingerprint('test:count', { by: 3 }), outcome: { n: 5 } }],
    ],
    'steps are called after the task, the tool and its number',
  )
  t.match(stepFingerprint('a', { y: 1, x: [2] }), /^[0-9a-f]{64}$/)
  t.equal(stepFingerprint('a', { y: 1, x: [2] }), stepFingerprint('a', { x: [2], y: 1 }))
  t.not(stepFingerprint('a', { x: 1 }), stepFingerprint('b', { x: 1 }))
})

void t.test('the same named step again gives its output; another input is refused and not run', async (t) => {
  const stage = new Stage({
    policy: { writeSteps: 2, toolCalls: 2, steps: 2 },
    execute: async (context) => {
      const pay = (by: number) => context.tool(count, { by }, { step: 'pay' })
      t.strictSame(await pay(2), { ok: true, value: { n: 2 } })
      t.strictSame(await pay(2), { ok: true, value: { n: 2 } }, 'takes nothing of the budget')
      t.strictSame(codes([await pay(3)]), ['system:receipt_mismatch'])
      t.strictSame(await context.tool(count, { by: 2 }, { step: 'pay/2' }), { ok: true, value: { n: 4 } })
      t.strictSame(codes([await context.tool(count, { by: 1 })]), ['system:budget_tool_calls'])
      return DONE
    },
  })
  await stage.join()
  t.equal(codeOf(await stage.ask()), 'ok')
  t.equal(stage.handled, 2)
  t.equal((await stage.kept()).n, 4)
})

void t.test('names that are none', async (t) => {
  const names = ['', 'Pay', 'a/b', 'pay/0', 'pay/1/2', 'x'.repeat(65), 'ä', '/1', '../x']
  const stage = new Stage({
    policy: { toolCalls: 20, steps: 20, writeSteps: 20 },
    execute: async (context) => {
      for (const step of names)
        t.strictSame(codes([await context.tool(count, { by: 1 }, { step })]), ['system:tool_failed'], step)
      return DONE
    },
  })
  await stage.join()
  t.equal(codeOf(await stage.ask()), 'ok')
  t.equal(stage.handled, 0)
})

void t.test('two equal steps at once are made once', async (t) => {
  const stage = new Stage({
    execute: async (context) => {
      const pay = () => context.tool(count, { by: 1 }, { step: 'pay' })
      t.strictSame(await Promise.all([pay(), pay()]), [
        { ok: true, value: { n: 1 } },
        { ok: true, value: { n: 1 } },
      ])
      return DONE
    },
  })
  await stage.join()
  t.equal(codeOf(await stage.ask()), 'ok')
  t.equal((await stage.kept()).n, 1)
})

const CASES: readonly [string, Tool<{ by: number }, { n: number }>['handler'], string][] = [
  [
    'a change that throws',
    (_, { commit }) =>
      commit((tx) => {
        countUp(tx)
        throw new Error('boom')
      }),
    'system:tool_failed',
  ],
  [
    'a change that refuses',
    (_, { commit }) =>
      commit((tx) => {
        countUp(tx)
        throw new FailureError(failure('system:cost_missing'))
      }),
    'system:cost_missing',
  ],
  [
    'a change that gives a promise',
    (_, { commit }) => commit(async (tx) => ({ n: countUp(tx) })) as never,
    'system:tool_failed',
  ],
  [
    'an output of another shape',
    (_, { commit }) => commit((tx) => ({ n: String(countUp(tx)) })) as never,
    'system:tool_failed',
  ],
]
for (const [name, handler, code] of CASES)
  void t.test(`${name}: no change and no receipt`, async (t) => {
    const stage = new Stage({
      handler,
      execute: async (context) => {
        t.strictSame(codes([await context.tool(count, { by: 1 })]), [code])
        return DONE
      },
    })
    await stage.join()
    t.equal(codeOf(await stage.ask()), 'ok')
    const { n, receipts } = await stage.kept()
    t.strictSame([n, receipts.size], [0, 0])
  })

void t.test('what was committed is the output, whatever the handler does behind it', async (t) => {
  const stage = new Stage({
    handler: async (given, call) => {
      await countBy(given, call)
      throw new Error('the notice could not be sent')
    },
    execute: async (context) => {
      t.strictSame(await context.tool(count, { by: 1 }), { ok: true, value: { n: 1 } })
      return DONE
    },
  })
  await stage.join()
  t.equal(codeOf(await stage.ask()), 'ok')
  t.match(stage.k.logger.messages(), ['tool test:count failed'])
})

void t.test('a handler that does not wait for its commit ends nothing', async (t) => {
  const stage = new Stage({
    handler: (_, { commit }) => {
      void commit(() => {
        throw new Error('boom')
      })
      return { n: 0 }
    },
    execute: async (context) => {
      t.ok((await context.tool(count, { by: 1 })).ok)
      return DONE
    },
  })
  await stage.join()
  t.equal(codeOf(await stage.ask()), 'ok')
  await turn()
})

void t.test('a tool that reads can not commit', async (t) => {
  const nothing = z.strictObject({})
  const reads: Tool = {
    type: { id: 'reads', input: nothing, output: nothing, kind: 'async', write: false },
    owner: identifier('test:owner'),
    handler: (_, { commit }) => commit((tx) => countUp(tx)),
  }
  const stage = new Stage({
    tools: [reads],
    execute: async (context) => {
      t.strictSame(codes([await context.tool(reads.type, {})]), ['system:tool_failed'])
      return DONE
    },
  })
  await stage.join()
  t.equal(codeOf(await stage.ask()), 'ok')
  t.equal((await stage.kept()).n, 0)
})

for (const end of ['cancel', 'logout', 'revoke'] as const)
  void t.test(`${end} while a commit waits for its turn: refused inside of the lock`, async (t) => {
    const { opened, open } = gate()
    const stage = new Stage({
      handler: async (given, call) => {
        // the disk is busy with something else, so the change waits
        void stage.k.store.update(stage.player, (tx) => tx.set(COUNT, { n: 10 }))
        await Promise.resolve()
        const made = call.commit((tx) => ({ n: countUp(tx) }))
        open()
        return made
      },
      execute: async (context) => {
        await context.tool(count, { by: 1 })
        return DONE
      },
    })
    await stage.join()
    stage.disk.fate = async () => {
      await turn()
      return null
    }
    const asked = stage.ask()
    await opened
    if (end === 'cancel') stage.k.engine.cancel(stage.player)
    else if (end === 'logout') stage.leave()
    else stage.k.sessions.moveGeneration(stage.player)
    const code = { cancel: 'cancelled', logout: 'disconnected', revoke: 'revoked' }[end]
    t.equal(codeOf(await asked), `system:${code}`)
    await stage.k.store.settled()
    const { n, receipts } = await stage.kept()
    t.strictSame([n, receipts.size], [10, 0])
  })

void t.test('a request that is over ends its receipts; a crashed one at the next login', async (t) => {
  const stage = new Stage({
    execute: async (context) => {
      await context.tool(count, { by: 1 }, { step: 'pay' })
      return DONE
    },
  })
  const now = stage.k.clock.now()
  await stage.join()
  await stage.ask()
  await stage.k.store.settled()
  t.match((await stage.kept()).receipts.get('pay'), { at: now, over: now })

  const crashing = new Stage({
    execute: async (context) => {
      await context.tool(count, { by: 1 }, { step: 'pay' })
      await new Promise(() => {})
      return DONE
    },
  })
  await crashing.join()
  void crashing.ask()
  await eventuallyCounted(crashing)
  const later = new Stage({ disk: crashing.disk, player: crashing.player })
  later.k.clock.advance(50)
  await later.join()
  t.match((await later.kept()).receipts.get('pay'), { over: later.k.clock.now() })
})

void t.test(
  'a request that is cancelled while its commit is being written ends its receipts too',
  async (t) => {
    const stage = new Stage({
      execute: async (context) => {
        await context.tool(count, { by: 1 }, { step: 'pay' })
        return DONE
      },
    })
    await stage.join()
    stage.disk.fate = async ({ kind }) => {
      if (kind !== 'commit') return null
      stage.disk.fate = () => null
      stage.k.engine.cancel(stage.player)
      await turn()
      return null
    }
    t.equal(codeOf(await stage.ask()), 'system:cancelled')
    await stage.k.store.settled()
    await turn()
    await stage.k.store.settled()
    const { n, receipts } = await stage.kept()
    t.equal(n, 1, 'it was made')
    t.equal(receipts.get('pay')?.over, stage.k.clock.now())
    t.ok(stage.k.clock.now() > 0)
  },
)

void t.test('a full journal refuses the step, and nothing is changed', async (t) => {
  const storeLimits = { ...LIMITS, receiptBytes: 10 }
  const stage = new Stage({
    storeLimits,
    execute: async (context) => {
      t.strictSame(codes([await context.tool(count, { by: 1 })]), ['system:journal_full'])
      Object.assign(storeLimits, { receiptBytes: 10_000 })
      t.strictSame(codes([await context.tool(count, { by: 1 })]), ['ok'])
      return DONE
    },
  })
  await stage.join()
  t.equal(codeOf(await stage.ask()), 'ok')
  t.equal((await stage.kept()).n, 1)
})

void t.test(
  'a commit that fails leaves the step to be made; one that ends unknown is found again',
  async (t) => {
    const faults = ['system:storage_failed', 'system:storage_unknown'] as const
    for (const fault of faults) {
      const stage = new Stage({
        execute: async (context) => {
          const pay = () => context.tool(count, { by: 1 }, { step: 'pay' })
          stage.disk.fate = ({ kind }) => {
            if (kind !== 'commit') return null
            stage.disk.fate = () => null
            return fault
          }
          t.strictSame(codes([await pay()]), [fault])
          t.strictSame(await pay(), { ok: true, value: { n: 1 } }, fault)
          return DONE
        },
      })
      await stage.join()
      t.equal(codeOf(await stage.ask()), 'ok')
      t.equal((await stage.kept()).n, 1)
    }
  },
)

void t.test(
  'the store of a workflow: reads, changes that take write steps, all of it as long as it may',
  async (t) => {
    let kept: ReturnType<ExecutionContext['store']> | undefined
    const stage = new Stage({
      policy: { writeSteps: 1 },
      execute: async (context) => {
        const store = (kept = context.store())
        t.equal(store.get(COUNT).n, 0)
        t.strictSame(await store.update((tx) => countUp(tx)), { ok: true, value: 1 })
        t.equal(store.get(COUNT).n, 1)
        t.strictSame(codes([await store.update((tx) => countUp(tx))]), ['system:budget_write_steps'])
        return DONE
      },
    })
    await stage.join()
    t.equal(codeOf(await stage.ask()), 'ok')
    t.throws(() => kept?.get(COUNT), /system:cancelled/, 'a view of a request that is over')
    await t.rejects(async () => kept?.update((tx) => countUp(tx)), /system:cancelled/)
    t.equal((await stage.kept()).n, 1)
  },
)

for (const end of ['cancel', 'revoke'] as const)
  void t.test(`a change of the store that waits: ${end} is seen when its turn has come`, async (t) => {
    const { opened, open } = gate()
    const stage = new Stage({
      execute: async (context) => {
        void stage.k.store.update(stage.player, (tx) => tx.set(COUNT, { n: 10 }))
        await Promise.resolve()
        const changed = context.store().update((tx) => countUp(tx))
        open()
        await changed
        return DONE
      },
    })
    await stage.join()
    stage.disk.fate = async () => {
      await turn()
      return null
    }
    const asked = stage.ask()
    await opened
    if (end === 'cancel') stage.k.engine.cancel(stage.player)
    else stage.k.sessions.moveGeneration(stage.player)
    t.equal(codeOf(await asked), end === 'cancel' ? 'system:cancelled' : 'system:revoked')
    await stage.k.store.settled()
    t.equal((await stage.kept()).n, 10)
  })

async function eventuallyCounted(stage: Stage): Promise<void> {
  while ((await stage.kept()).n === 0) await turn()
}
