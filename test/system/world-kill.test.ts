/** Killed while it saves: what was acknowledged is there, whole. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readDat } from '../plugins/squid/shield/world.js'
import { startChild } from '../support/child.js'
import { joinRaw } from '../support/squid.js'
import { temporaryFolder } from '../support/system.js'
import { DEFAULT_VERSION } from '../support/versions.js'

const FIXTURE = fileURLToPath(new URL('../fixtures/world-server.js', import.meta.url))

void t.test('the acknowledged state or the one after it', async (t) => {
  const cwd = await temporaryFolder(t)
  const world = join(cwd, 'world')
  let last = 0
  for (let round = 1; round <= 4; round += 1) {
    const child = startChild(t, FIXTURE, { args: [world, join(cwd, 'config')], cwd })
    const port = Number((await child.line(/READY (\d+)/))[1])
    const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
    alice.say('/count')
    await child.line(new RegExp(`SAVED ${last + round * 9}$`))
    child.process.kill('SIGKILL')
    t.equal(await child.ended, 'SIGKILL')
    const acknowledged = Number(
      /SAVED (\d+)/.exec(child.lines.filter((line) => /SAVED/.test(line)).at(-1) ?? '')?.[1],
    )
    const names = await readdir(join(world, 'playerdata'))
    const files = names.filter((name) => name.endsWith('.dat'))
    const { XpTotal, Inventory } = await readDat(join(world, 'playerdata', files[0] ?? ''))
    const xp = Number(XpTotal)
    t.ok(xp === acknowledged || xp === acknowledged + 1, `${xp}, acknowledged ${acknowledged}`)
    t.match(Inventory, [{ Count: (xp % 64) + 1 }], 'inventory and experience are of one moment')
    t.ok(names.length <= 4, 'what was left of the kills before is gone')
    last = xp
  }
})
