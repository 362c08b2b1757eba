import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { DEFAULT_VERSION, joinRaw, nextEvent, type RawClient } from '../../../support/squid.js'
import { bootWorld, put, seen, stack, type WorldServer } from './world.js'
import { playerOf } from './support.js'

/** The uuid that offline mode makes of a name. */
function offlineUuid(name: string): string {
  const hash = createHash('md5').update(`OfflinePlayer:${name}`).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x30
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const pathOf = (world: string, name: string): string => join(world, 'playerdata', `${offlineUuid(name)}.dat`)

/** A server whose alice has left with five diamonds, then with six: two generations. */
async function withTwoGenerations(
  t: Test,
  onUnreadable: 'refuse' | 'fresh' = 'refuse',
): Promise<WorldServer> {
  const server = await bootWorld(t, DEFAULT_VERSION, {
    storage: { settings: () => ({ onUnreadable, playerSaveSeconds: 3_600 }) },
  })
  for (const count of [5, 6]) {
    const client = await server.join('alice')
    put(playerOf(server.serv, 'alice'), 36, stack(server.serv, ['diamond', count]))
    await server.leave(client)
  }
  return server
}

async function refusal(t: Test, server: WorldServer): Promise<string> {
  const client = await new Promise<RawClient>((resolve, reject) => {
    const joining = joinRaw(t, server.port, DEFAULT_VERSION, 'alice', { timeoutMs: 3_000 })
    joining.then(() => reject(new Error('let in')), reject)
    server.serv.once('newPlayer', ({ _client }: { _client: RawClient }) => resolve(_client))
    joining.catch(() => {})
  })
  return nextEvent<string>(client, 'end')
}

const bomb = (): Buffer => gzipSync(Buffer.alloc(256 * 1_024 * 1_024))
const deep = (): Buffer => {
  const levels = Buffer.alloc(20_000 * 4)
  for (let n = 0; n < 20_000; n += 1) levels.set([10, 0, 1, 97], n * 4)
  return gzipSync(Buffer.concat([Buffer.from([10, 0, 0]), levels]))
}
const DAMAGES: Readonly<Record<string, (sound: Buffer) => Buffer>> = {
  torn: (sound) => sound.subarray(0, Math.floor(sound.length * 0.6)),
  empty: () => Buffer.alloc(0),
  garbage: () => Buffer.from('this is not NBT at all, and not gzip either'),
  flipped: (sound) => {
    const copy = Buffer.from(sound)
    const at = Math.floor(copy.length / 2)
    copy[at] = (copy[at] ?? 0) ^ 0x10
    return copy
  },
  'a gzip bomb': bomb,
  'nested 20,000 deep': deep,
  'a list that claims 2^31 - 1 entries': () =>
    gzipSync(Buffer.from([10, 0, 0, 9, 0, 1, 97, 1, 0x7f, 0xff, 0xff, 0xff, 0])),
  'two members': (sound) => Buffer.concat([sound, sound]),
}

void t.test('a damaged file: the generation before, and the damaged one is kept', async (t) => {
  const server = await withTwoGenerations(t)
  const path = pathOf(server.world, 'alice')
  const sound = await readFile(path)
  const previous = await readFile(`${path}_old`)
  for (const [name, damage] of Object.entries(DAMAGES)) {
    await t.test(name, async (t) => {
      const bad = damage(sound)
      await writeFile(path, bad)
      await writeFile(`${path}_old`, previous)
      const client = await server.join('alice')
      t.match(seen(playerOf(server.serv, 'alice'), 36), /5/)
      const kept = (await readdir(dirname(path))).filter((file) => file.includes('_unreadable_'))
      t.equal(kept.length, 1)
      t.ok(bad.equals(await readFile(join(dirname(path), kept[0] ?? ''))), 'as it was')
      await rm(join(dirname(path), kept[0] ?? ''))
      await server.leave(client)
    })
  }
})

void t.test('a missing file: the generation before', async (t) => {
  const server = await withTwoGenerations(t)
  await rm(pathOf(server.world, 'alice'))
  await server.join('alice')
  t.match(seen(playerOf(server.serv, 'alice'), 36), /5/)
})

void t.test('both damaged: refused, nothing written, no path told; the others play', async (t) => {
  const server = await withTwoGenerations(t)
  const path = pathOf(server.world, 'alice')
  for (const [name, damage] of Object.entries(DAMAGES).slice(0, 3)) {
    await t.test(name, async (t) => {
      const bad = damage(await readFile(path))
      await writeFile(path, bad)
      await writeFile(`${path}_old`, bad)
      const reason = await refusal(t, server)
      t.match(reason, /can't be read/)
      t.notMatch(reason, /playerdata|\.dat|\//)
      t.ok(bad.equals(await readFile(path)))
      t.ok(bad.equals(await readFile(`${path}_old`)))
    })
  }
  t.match(server.log.lines.join('\n'), path, 'the host is told where')
  await server.join('bob')
})

void t.test('both damaged and fresh: a new beginning, both files kept', async (t) => {
  const server = await withTwoGenerations(t, 'fresh')
  const path = pathOf(server.world, 'alice')
  await writeFile(path, 'bad')
  await writeFile(`${path}_old`, 'worse')
  await server.join('alice')
  t.equal(seen(playerOf(server.serv, 'alice'), 36), 'empty')
  const kept = (await readdir(dirname(path))).filter((file) => file.includes('_unreadable_'))
  t.equal(kept.length, 2)
})

void t.test('a file that cannot be read now is no damaged file', async (t) => {
  const server = await withTwoGenerations(t)
  const path = pathOf(server.world, 'alice')
  await rm(path)
  await mkdir(path)
  t.match(await refusal(t, server), /read or written just now/)
})

void t.test('stock makes an empty inventory of a torn file, for good', async (t) => {
  const server = await withTwoGenerations(t)
  const path = pathOf(server.world, 'alice')
  const torn = (await readFile(path)).subarray(0, 100)
  await server.stop()
  await writeFile(path, torn)
  const stock = await bootWorld(t, DEFAULT_VERSION, { world: server.world, only: ['leaks'] })
  const client = await stock.join('alice')
  t.equal(seen(playerOf(stock.serv, 'alice'), 36), 'empty')
  await stock.leave(client)
  t.notOk(torn.equals(await readFile(path)))
})
