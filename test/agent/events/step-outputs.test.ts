/** Outputs that their own schema can't read: before the commit nothing is made, behind it nobody is told that nothing was. */
import t from 'tap'
import { z } from 'zod'
import type { Tool, ToolType } from '../../../lib/agent/index.js'
import { identifier } from '../../../lib/core/ids.js'
import { codeOf, DONE } from '../../support/kernel.js'
import { countUp } from '../../support/stored-things.js'
import { Stage, type StageSetup } from './stage.js'

const counted = z.strictObject({ n: z.int() })
const FAULTS = ['throws', 'refuses'] as const

/** A schema that reads as often as it is let, and throws or refuses then. */
function tickets(fault: (typeof FAULTS)[number]) {
  const state = { reads: Infinity, handled: 0 }
  const type: ToolType<Record<string, never>, { n: number }> = {
    id: 'test:ticket',
    input: z.strictObject({}),
    output: z.codec(counted, counted, {
      decode(value, { issues }) {
        if (state.reads-- > 0) return value
        if (fault === 'throws') throw new Error('boom')
        issues.push({ code: 'custom', message: 'no ticket', input: value })
        return value
      },
      encode: (value) => value,
    }),
    kind: 'async',
    write: true,
  }
  const tool: Tool<Record<string, never>, { n: number }> = {
    type,
    owner: identifier('test:owner'),
    handler: (_, { commit }) => {
      state.handled++
      return commit((tx) => ({ n: countUp(tx) }))
    },
  }
  return { state, type, tool: tool as unknown as Tool }
}

async function play(tool: Tool, execute: NonNullable<StageSetup['execute']>) {
  const stage = new Stage({ tools: [tool], execute })
  await stage.join()
  const code = codeOf(await stage.ask())
  await stage.k.store.settled()
  return { code, stage, ...(await stage.kept()) }
}

for (const fault of FAULTS) {
  void t.test(
    `a schema that ${fault} at an output: no change and no receipt, the step is to be made`,
    async (t) => {
      const { state, type, tool } = tickets(fault)
      const { code, n, receipts } = await play(tool, async (context) => {
        const buy = () => context.tool(type, {}, { step: 'buy' })
        state.reads = 0
        t.match(await buy(), { ok: false, failure: { code: 'system:tool_failed' } })
        state.reads = Infinity
        t.strictSame(await buy(), { ok: true, value: { n: 1 } })
        return DONE
      })
      t.equal(code, 'ok')
      t.strictSame([n, receipts.size, state.handled], [1, 1, 2])
    },
  )

  void t.test(`a schema that ${fault} at a receipt: it was done, and nothing is made again`, async (t) => {
    const { state, type, tool } = tickets(fault)
    const { code, stage, n, receipts } = await play(tool, async (context) => {
      const buy = () => context.tool(type, {}, { step: 'buy' })
      t.strictSame(await buy(), { ok: true, value: { n: 1 } })
      state.reads = 0
      t.match(await buy(), { ok: false, failure: { code: 'system:result_gone' } })
      return DONE
    })
    t.equal(code, 'ok')
    t.strictSame([n, receipts.size, state.handled], [1, 1, 1])
    t.match(stage.k.logger.messages(), [/test:ticket/], 'its author is told')
  })

  void t.test(`a schema that ${fault} at a receipt which is found in the commit`, async (t) => {
    const { state, type, tool } = tickets(fault)
    const { code, n, receipts } = await play(tool, async (context) => {
      // once for the commit, once for what the handler gives
      state.reads = 1
      const buy = () => context.tool(type, {}, { step: 'buy' })
      t.match(await Promise.all([buy(), buy()]), [
        { ok: true, value: { n: 1 } },
        { ok: false, failure: { code: 'system:result_gone' } },
      ])
      return DONE
    })
    t.equal(code, 'ok')
    t.strictSame([n, receipts.size, state.handled], [1, 1, 2])
  })
}
