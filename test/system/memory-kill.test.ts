/** Killed between an answer and its save, and behind the save: a request is shown again, or runs anew, never both. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { startChild, type Child } from '../support/child.js'
import { joinRaw, type RawClient } from '../support/squid.js'
import { temporaryFolder } from '../support/system.js'
import { DEFAULT_VERSION } from '../support/versions.js'

const FIXTURE = fileURLToPath(new URL('../fixtures/memory-server.js', import.meta.url))

interface Run {
  readonly child: Child
  readonly alice: RawClient
}

async function boot(t: Test, cwd: string): Promise<Run> {
  const child = startChild(t, FIXTURE, { args: [join(cwd, 'world'), join(cwd, 'config')], cwd })
  const port = Number((await child.line(/READY (\d+)/))[1])
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  return { child, alice }
}

const ranIn = ({ lines }: Child, id: string): number => lines.filter((line) => line === `RUN ${id}`).length

void t.test('a request that was answered, over kills', async (t) => {
  const cwd = await temporaryFolder(t)
  let before: { readonly id: string; readonly isSaved: boolean; readonly ran: number } | null = null
  let rounds = 0
  for (const until of ['ANSWER', 'SAVED', 'ANSWER', 'SAVED', 'end'] as const) {
    const { child, alice } = await boot(t, cwd)
    if (before !== null) {
      alice.say(`/again ${before.id}`)
      const [, code, known] = await child.line(new RegExp(`ANSWER ${before.id} (\\S+) (\\d+)`))
      t.equal(code, 'succeeded')
      const again = ranIn(child, before.id)
      t.equal(before.ran, 1)
      if (before.isSaved) t.equal(again, 0, 'it is shown again')
      // without its save it runs anew; what was written in time is shown
      t.equal(Number(known), rounds + (again === 0 ? 1 : 0), 'a round and its receipt are there together')
      rounds += 1
      await child.line(new RegExp(`SAVED ${before.id}`))
    }
    if (until === 'end') break
    const id = randomUUID()
    alice.say(`/again ${id}`)
    await child.line(new RegExp(`${until} ${id}`))
    child.process.kill('SIGKILL')
    t.equal(await child.ended, 'SIGKILL')
    before = { id, isSaved: until === 'SAVED', ran: ranIn(child, id) }
  }
})
