/** Under whose configuration a write step is made: that of the call, or it isn't made. */
import t from 'tap'
import { failure } from '../../../lib/core/failure.js'
import { identifier } from '../../../lib/core/ids.js'
import type { Holder } from '../../../lib/registry/index.js'
import type { ModuleConfiguration } from '../../../lib/systems/index.js'
import { codeOf, DONE, turn } from '../../support/kernel.js'
import { COUNT } from '../../support/stored-things.js'
import { count, countBy, Stage } from './stage.js'

const line = (name: string): Holder<ModuleConfiguration> => ({
  id: identifier(`test:${name}`),
  value: { type: identifier('test:owner'), parameters: {}, condition: null, client: null },
})
const [NORTH, SOUTH] = [line('north'), line('south')]

for (const left of [[], [SOUTH]])
  for (const moment of ['the receipt is looked for', 'the commit waits for its turn'] as const)
    void t.test(`the tool's configuration is lost while ${moment}, ${left.length} left`, async (t) => {
      let open: readonly Holder<ModuleConfiguration>[] = [NORTH, SOUTH]
      const told: unknown[] = []
      const stage = new Stage({
        configurations: () => open,
        ownerAccess: () => (open.length > 0 ? null : failure('system:module_closed')),
        handler: async (given, call) => {
          told.push(call.configuration?.id)
          void stage.k.store.update(stage.player, (tx) => tx.set(COUNT, { n: 10 }))
          await Promise.resolve()
          const made = countBy(given, call)
          open = left
          return made
        },
        execute: async (context) => {
          const called = context.tool(count, { by: 1 })
          if (moment === 'the receipt is looked for') open = left
          await called
          return DONE
        },
      })
      await stage.join()
      stage.disk.fate = async () => {
        await turn()
        return null
      }
      t.equal(codeOf(await stage.ask()), 'system:module_closed')
      await stage.k.store.settled()
      const { n, receipts } = await stage.kept()
      const isCalled = moment !== 'the receipt is looked for'
      t.strictSame(told, isCalled ? [NORTH.id] : [], 'no other configuration than the chosen one')
      t.strictSame([n, receipts.size], [isCalled ? 10 : 0, 0])
    })

void t.test('the handler is told of the configuration that was chosen at the call', async (t) => {
  let open = [NORTH, SOUTH]
  const stage = new Stage({
    configurations: () => open,
    handler: (given, call) => {
      t.equal(call.configuration?.id, NORTH.id)
      return countBy(given, call)
    },
    execute: async (context) => {
      const called = context.tool(count, { by: 1 })
      open = [SOUTH, NORTH]
      t.ok((await called).ok)
      return DONE
    },
  })
  await stage.join()
  t.equal(codeOf(await stage.ask()), 'ok')
  t.equal(stage.handled, 1)
})
