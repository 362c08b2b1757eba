/** Nothing of ours keeps a process alive after its server was closed. */
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createProviderSimulator, faults, type ProviderSimulator } from '../../lib/testing/index.js'
import { startChild, type Child } from '../support/child.js'
import { joinReader, temporaryFolder, type Reader } from '../support/system.js'
import { DEFAULT_VERSION } from '../support/versions.js'
import { ANSWER, good, TEXT } from './fault-cases.js'

const FIXTURE = fileURLToPath(new URL('../fixtures/exit-server.js', import.meta.url))

interface Run {
  readonly child: Child
  readonly provider: ProviderSimulator
  join(name: string): Promise<Reader>
}

async function start(t: Test): Promise<Run> {
  const provider = await createProviderSimulator()
  t.teardown(() => provider.close())
  const folder = await temporaryFolder(t)
  const settings = {
    configFolder: folder,
    autoGrant: 'system:default',
    config: { 'system-model': { provider: 'generic', baseUrl: provider.url, model: 'sim', apiKeyEnv: '' } },
  }
  const child = startChild(t, FIXTURE, { args: [JSON.stringify(settings)], cwd: folder })
  const port = Number((await child.line(/^READY (\d+)/))[1])
  return {
    child,
    provider,
    async join(name) {
      const reader = await joinReader(t, { port, version: DEFAULT_VERSION }, name)
      await reader.next()
      return reader
    },
  }
}

/** Stops the server; its process ends by itself, with nothing to say. */
async function endsByItself(t: Test, child: Child): Promise<void> {
  child.process.kill('SIGUSR2')
  await child.line(/^CLOSED/)
  const alive = child.line(/^ALIVE (.*)/).then(
    ([, resources]) => `kept alive by ${resources ?? ''}`,
    () => null,
  )
  t.equal(await Promise.race([child.ended, alive]), 0)
  t.strictSame(
    child.lines.filter((line) => /ERROR|rror:|rejection/.test(line)),
    [],
    'nothing went wrong',
  )
}

void t.test('an idle server', async (t) => endsByItself(t, (await start(t)).child))

void t.test('with players and a request', async (t) => {
  const { child, provider, join } = await start(t)
  const alice = await join('alice')
  await join('bob')
  provider.script(faults.slowHeaders(ANSWER))
  alice.client.say('/system ask how deep?')
  await provider.request(1)
  await endsByItself(t, child)
})

void t.test('with all thread groups started and a request that reads its answer', async (t) => {
  const { child, provider, join } = await start(t)
  const alice = await join('alice')
  provider.script(good(ANSWER), faults.stalledBody(ANSWER))
  t.match(await alice.askText('/system where am i'), /Health/, 'compute')
  t.equal(await alice.askText('/system ask how deep?'), TEXT, 'agent')
  alice.client.say('/system ask how deep?')
  await (
    await provider.request(2)
  ).held
  await endsByItself(t, child)
})

void t.test('with a player who has gone while asking', async (t) => {
  const { child, provider, join } = await start(t)
  const alice = await join('alice')
  provider.script(faults.slowHeaders(ANSWER))
  alice.client.say('/system ask how deep?')
  const request = await provider.request(1)
  alice.client.end('bye')
  await request.over
  t.ok(request.aborted)
  await endsByItself(t, child)
})
