/** However a server ends, what a player did a moment before is on disk. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { readDat } from '../plugins/squid/shield/world.js'
import { startChild, type Child } from '../support/child.js'
import { joinRaw, type RawClient } from '../support/squid.js'
import { temporaryFolder } from '../support/system.js'
import { DEFAULT_VERSION } from '../support/versions.js'

const FIXTURE = fileURLToPath(new URL('../fixtures/world-server.js', import.meta.url))

interface Run {
  readonly child: Child
  readonly world: string
  readonly alice: RawClient
}

async function start(t: Test, switches: Record<string, boolean> = {}): Promise<Run> {
  const cwd = await temporaryFolder(t)
  const world = join(cwd, 'world')
  const child = startChild(t, FIXTURE, { args: [world, join(cwd, 'config'), JSON.stringify(switches)], cwd })
  const port = Number((await child.line(/READY (\d+)/))[1])
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  return { child, world, alice }
}

/** How many diamonds the files say alice has; null when there is no file. */
async function diamonds(world: string): Promise<number | null> {
  const folder = join(world, 'playerdata')
  const name = (await readdir(folder).catch(() => [])).find((file) => file.endsWith('.dat'))
  if (name === undefined) return null
  const { Inventory } = await readDat(join(folder, name))
  const stacks = Inventory as { id: string; Count: number }[]
  return stacks.filter(({ id }) => id === 'minecraft:diamond').reduce((sum, { Count }) => sum + Count, 0)
}

for (const way of ['stop', 'exit', 'throw', 'SIGTERM', 'SIGINT'] as const) {
  void t.test(`${way}: saved`, async (t) => {
    const { child, world, alice } = await start(t)
    alice.say(`/end ${way}`)
    await child.ended
    t.equal(await diamonds(world), 7)
  })
}

for (const way of ['exit', 'SIGTERM'] as const) {
  void t.test(`${way}: stock loses it`, async (t) => {
    const { child, world, alice } = await start(t, { playerdata: false, sessions: false, shutdown: false })
    alice.say(`/end ${way}`)
    await child.ended
    t.not(await diamonds(world), 7)
  })
}

void t.test('a signal in the middle of saves: the moment of the signal, whole', async (t) => {
  const { child, world, alice } = await start(t)
  alice.say('/count')
  await child.line(/SAVED 20$/)
  child.process.kill('SIGTERM')
  await child.ended
  const acknowledged = child.lines.filter((line) => line.includes('SAVED')).length
  const [name] = (await readdir(join(world, 'playerdata'))).filter((file) => file.endsWith('.dat'))
  const { XpTotal, Inventory } = await readDat(join(world, 'playerdata', name ?? ''))
  t.ok(Number(XpTotal) >= acknowledged, `${String(XpTotal)}, acknowledged ${acknowledged}`)
  t.match(Inventory, [{ Count: (Number(XpTotal) % 64) + 1 }])
})
