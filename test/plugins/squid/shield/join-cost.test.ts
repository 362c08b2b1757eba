import { createRequire } from 'node:module'
import t from 'tap'
import { VERSIONS, joinRaw } from '../../../support/squid.js'
import { bootShielded } from './support.js'

const require = createRequire(import.meta.url)
// the very class that the protocol's types are validated with
const fromProtocol = createRequire(require.resolve('minecraft-protocol'))
const fromProtodef = createRequire(fromProtocol.resolve('protodef'))
const { prototype } = fromProtodef('protodef-validator') as {
  prototype: { validateType: (...args: unknown[]) => unknown }
}

/** How many types were validated while `run` ran. */
async function validated(run: () => Promise<unknown>): Promise<number> {
  const { validateType } = prototype
  let count = 0
  prototype.validateType = function (...args) {
    count += 1
    return validateType.apply(this, args)
  }
  try {
    await run()
  } finally {
    prototype.validateType = validateType
  }
  return count
}

for (const version of VERSIONS)
  void t.test(`${version}: a login validates no types of channels`, async (t) => {
    const stock = await bootShielded(t, version, { only: [] })
    t.ok((await validated(() => joinRaw(t, stock.port, version, 'alice'))) > 0, 'stock does')
    const repaired = await bootShielded(t, version, { only: ['join-cost'] })
    t.equal(await validated(() => joinRaw(t, repaired.port, version, 'alice')), 0)
  })

void t.test('a host that asks for the check has it', async (t) => {
  const { serv, shield } = await bootShielded(t, '1.21.4', {
    only: ['join-cost'],
    settings: { validateChannelProtocol: true },
  })
  t.equal(serv._server.options['validateChannelProtocol'], true)
  shield.close()
  t.equal(serv._server.options['validateChannelProtocol'], true)
})
