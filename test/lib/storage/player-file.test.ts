/** What is written of a player can be read again, and nothing is left behind. */
import { mkdirSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { composeRoot, encodeTree, type NbtTree } from '../../../lib/codec/nbt/index.js'
import { systemClock } from '../../../lib/core/clock.js'
import { silentLogger } from '../../../lib/core/logger.js'
import { openThreadGroups, runJob } from '../../../lib/pool/index.js'
import {
  LEFT_OVER,
  writePlayerFileSync,
  type ReadPlayerFileJob,
  type SavePlayerFileJob,
} from '../../../lib/storage/index.js'

/** A stack with so many values. */
function documentOf(values: number): Uint8Array {
  const marks: NbtTree = { type: 'list', value: { type: 'byte', value: Array<number>(values).fill(1) } }
  const tag = encodeTree({
    type: 'list',
    value: { type: 'compound', value: [{ marks }] },
  })
  if (!tag.ok) throw new Error(tag.failure.code)
  return composeRoot([['Inventory', tag.value]])
}

/** Two stacks with so many values each: singly they may be written, together they may be more than is read. */
function twice(values: number): Uint8Array {
  const one = documentOf(values)
  // the list's length lies behind: type, root's name, type, name of nine letters with its length, type of its members
  const head = [...one.subarray(0, one.length - 1)]
  const start = 1 + 2 + 1 + 2 + 'Inventory'.length + 1
  const entry = one.subarray(start + 4, one.length - 1)
  head[start + 3] = 2
  return Uint8Array.from([...head, ...entry, 0])
}

function files(t: Test) {
  const groups = openThreadGroups({
    threads: { agent: 1, storage: 1, compute: 1 },
    agentData: {},
    clock: systemClock,
    logger: silentLogger,
  })
  t.teardown(() => groups.close())
  const path = join(t.testdir(), 'alice.dat')
  return {
    path,
    save: (document: Uint8Array) => {
      const claim = new SharedArrayBuffer(4)
      return runJob(groups.storage, {
        kind: 'save-player-file',
        path,
        document,
        claim,
      } satisfies SavePlayerFileJob)
    },
    read: () => runJob(groups.storage, { kind: 'read-player-file', path } satisfies ReadPlayerFileJob),
  }
}

void t.test('a document that could not be read again does not replace the file', async (t) => {
  const { path, save, read } = files(t)
  t.match(await save(twice(50_000)), { ok: true })
  t.match(await read(), { ok: true })
  const before = await readFile(path)
  t.match(await save(twice(150_000)), { ok: false, failure: { code: 'system:storage_full' } })
  t.throws(() => writePlayerFileSync(path, twice(150_000)), /could not be read again/)
  t.ok(before.equals(await readFile(path)))
  t.strictSame(readdirSync(join(path, '..')), ['alice.dat'])
})

void t.test('what a write at the exit leaves when it is cut off is swept', (t) => {
  const path = join(t.testdir(), 'alice.dat')
  // in the file's place: the new one is written, and can't be put there
  mkdirSync(path)
  t.throws(() => writePlayerFileSync(path, documentOf(1)))
  const left = readdirSync(join(path, '..')).filter((name) => name !== 'alice.dat')
  t.ok(left.length > 0)
  t.strictSame(
    left.filter((name) => !LEFT_OVER.test(name)),
    [],
  )
  t.end()
})
