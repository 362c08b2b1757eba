import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import type { FailureCode } from '../../lib/core/failure.js'
import type { Result } from '../../lib/core/result.js'
import type { RecordKey, RecordWrite, StorageDriver } from '../../lib/storage/index.js'

export const PLAYER = '11111111-2222-3333-4444-555555555555'
const OTHER = '99999999-2222-3333-4444-555555555555'
/** More than any record of these tests has. */
export const ROOMY = 4 * 1_024 * 1_024

export const players = (id = PLAYER): RecordKey => ({ collection: 'players', id })
const chats = (id = PLAYER): RecordKey => ({ collection: 'chats', id })

/** Tag bytes of a byte array that doesn't compress. */
export function noise(sizeBytes: number): Uint8Array {
  const tag = new Uint8Array(5 + sizeBytes)
  tag[0] = 7
  new DataView(tag.buffer).setInt32(1, sizeBytes)
  tag.set(randomBytes(sizeBytes), 5)
  return tag
}

/** Tag bytes of an int. */
export const int = (value: number): Uint8Array =>
  Uint8Array.of(3, value >> 24, value >> 16, value >> 8, value)

/** A write that has all fields. */
export const write = (
  fields: Partial<Omit<RecordWrite, 'put'>> & { put?: Record<string, Uint8Array> },
): RecordWrite => ({
  key: players(),
  base: 0,
  drop: [],
  maxBytes: ROOMY,
  ...fields,
  // copies: bytes are handed over
  put: new Map(Object.entries(fields.put ?? {}).map(([name, tag]) => [name, tag.slice()])),
})

/** The value of a success; anything else ends the test. */
export function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(result.failure.code, { cause: result.failure.cause })
}

export const refused = (code: FailureCode): object => ({ ok: false, failure: { code } })

/** A record as plain data: revision and parts in hex. */
export async function shown(driver: StorageDriver, key: RecordKey = players()): Promise<object | null> {
  const record = valueOf(await driver.read(key, ROOMY))
  if (record === null) return null
  const parts = [...record.parts].map(([name, tag]) => [name, Buffer.from(tag).toString('hex')] as const)
  return { revision: record.revision, parts: Object.fromEntries(parts.sort(([a], [b]) => (a < b ? -1 : 1))) }
}

/** The same for every driver of the port. `open` gives an empty one; it is closed after the test. */
export function storageDriverContract(name: string, open: (t: Test) => Promise<StorageDriver>): void {
  const test: Case = (sentence, run) => {
    void t.test(`${name}: ${sentence}`, async (t) => {
      const driver = await open(t)
      t.teardown(() => driver.close())
      await run(t, driver)
    })
  }
  existence(test)
  commits(test)
  sizes(test)
  inputs(test)
  ends(test)
}

type Case = (sentence: string, run: (t: Test, driver: StorageDriver) => Promise<void>) => void

function existence(test: Case): void {
  test('what was never written is not there', async (t, driver) => {
    t.equal(await shown(driver), null)
    t.strictSame(valueOf(await driver.list('players')), [])
    t.match(await driver.remove(players()), { ok: true })
  })

  test('collections are kept apart', async (t, driver) => {
    const keys = [players(), chats(), { collection: 'databases', id: PLAYER } as const]
    for (const [index, key] of keys.entries()) await driver.commit([write({ key, put: { a: int(index) } })])
    await driver.commit([write({ key: { collection: 'shared', id: 'players' }, put: { a: int(9) } })])
    await driver.commit([write({ key: { collection: 'quests', id: OTHER }, put: { a: int(8) } })])
    for (const [index, key] of keys.entries()) {
      t.strictSame(await shown(driver, key), { revision: 1, parts: { a: `030000000${index}` } })
      t.strictSame(valueOf(await driver.list(key.collection)), [PLAYER])
    }
    t.strictSame(valueOf(await driver.list('shared')), ['players'])
    t.strictSame(valueOf(await driver.list('quests')), [OTHER])
    t.strictSame(valueOf(await driver.list('world')), [])
  })

  test('a removed record is gone, alone, and begins at 1 again', async (t, driver) => {
    await driver.commit([write({ put: { old: int(1) } }), write({ key: chats(), put: { a: int(1) } })])
    await driver.commit([write({ base: 1, put: { old: int(2) } })])
    t.match(await driver.remove(players()), { ok: true })
    t.equal(await shown(driver), null)
    t.match(await driver.commit([write({ base: 2, put: { a: int(1) } })]), refused('system:storage_conflict'))
    t.match(await driver.commit([write({ put: { new: int(3) } })]), { ok: true })
    t.match(await driver.commit([write({ base: 1, put: { newer: int(4) } })]), { ok: true })
    t.strictSame(await shown(driver), { revision: 2, parts: { new: '0300000003', newer: '0300000004' } })
    t.match(await shown(driver, chats()), { revision: 1 })
  })
}

function commits(test: Case): void {
  test('a commit replaces, adds and drops the parts it names and leaves the others', async (t, driver) => {
    t.strictSame(await driver.commit([write({ put: { a: int(1), b: int(2), c: int(3) } })]), {
      ok: true,
      value: [{ revision: 1, spared: [], skipped: false }],
    })
    await driver.commit([write({ base: 1, put: { b: int(20), d: int(4) }, drop: ['c', 'never'] })])
    t.strictSame(await shown(driver), {
      revision: 2,
      parts: { a: '0300000001', b: '0300000014', d: '0300000004' },
    })
    t.match(await driver.commit([write({ base: 2 })]), { ok: true, value: [{ revision: 3 }] })
    t.match(await driver.commit([]), { ok: true, value: [] })
  })

  test('a commit on another revision is a conflict and changes nothing', async (t, driver) => {
    t.match(await driver.commit([write({ base: 1, put: { a: int(9) } })]), refused('system:storage_conflict'))
    t.equal(await shown(driver), null)
    await driver.commit([write({ put: { a: int(1) } })])
    await driver.commit([write({ base: 1, put: { a: int(2) } })])
    for (const base of [0, 1, 3]) {
      t.match(await driver.commit([write({ base, put: { a: int(9) } })]), refused('system:storage_conflict'))
    }
    t.strictSame(await shown(driver), { revision: 2, parts: { a: '0300000002' } })
  })

  test('of many commits on one base exactly one is done', async (t, driver) => {
    const asked = Array.from({ length: 20 }, (_, index) =>
      driver.commit([
        write({ put: { winner: int(index) } }),
        write({ key: chats(), put: { winner: int(index) } }),
      ]),
    )
    const results = await Promise.all(asked)
    t.equal(results.filter((result) => result.ok).length, 1)
    const winner = results.findIndex((result) => result.ok)
    const expected = { revision: 1, parts: { winner: Buffer.from(int(winner)).toString('hex') } }
    t.strictSame(await shown(driver), expected)
    t.strictSame(await shown(driver, chats()), expected)
  })

  test('commits that name their records in different orders do not wait for each other for good', async (t, driver) => {
    let revision = 0
    for (let round = 0; round < 10; round += 1) {
      const both = [write({ base: revision }), write({ key: chats(), base: revision })]
      const results = await Promise.all([driver.commit(both), driver.commit([...both].reverse())])
      t.equal(results.filter((result) => result.ok).length, 1)
      revision += 1
    }
  })

  test('many records at once, in several rounds, each whole', async (t, driver) => {
    const ids = Array.from({ length: 60 }, (_, index) => `team_${index}`)
    for (let round = 0; round < 3; round += 1) {
      const results = await Promise.all(
        ids.map((id, index) =>
          driver.commit([
            write({
              key: { collection: 'quests', id },
              base: round,
              put: { [`round ${round}`]: int(index) },
            }),
          ]),
        ),
      )
      t.ok(results.every((result) => result.ok))
    }
    t.strictSame([...valueOf(await driver.list('quests'))].sort(), [...ids].sort())
    for (const [index, id] of ids.entries()) {
      const hex = Buffer.from(int(index)).toString('hex')
      t.strictSame(await shown(driver, { collection: 'quests', id }), {
        revision: 3,
        parts: { 'round 0': hex, 'round 1': hex, 'round 2': hex },
      })
    }
  })

  test('a refusal of one record of a commit leaves all as they were', async (t, driver) => {
    await driver.commit([write({ put: { a: int(1) } })])
    const before = await shown(driver)
    const first = (): RecordWrite => write({ key: chats(), put: { a: int(1) } })
    t.match(await driver.commit([first(), write({ base: 7 })]), refused('system:storage_conflict'))
    const large = write({ base: 1, put: { big: noise(5_000) }, maxBytes: 3_000 })
    t.match(await driver.commit([first(), large]), refused('system:storage_full'))
    t.equal(await shown(driver, chats()), null)
    t.strictSame(await shown(driver), before)
  })
}

function sizes(test: Case): void {
  test('a record above its limit is full and stays as it was', async (t, driver) => {
    await driver.commit([write({ put: { a: noise(1_000) } })])
    const before = await shown(driver)
    const larger = write({ base: 1, put: { b: noise(1_000) }, maxBytes: 1_900 })
    t.match(await driver.commit([larger]), refused('system:storage_full'))
    t.strictSame(await shown(driver), before)
    t.match(await driver.commit([{ ...larger, put: new Map([['b', noise(1_000)]]), maxBytes: 2_400 }]), {
      ok: true,
    })
    const smaller = write({ base: 2, drop: ['a'], maxBytes: 1_400 })
    t.match(await driver.commit([smaller]), { ok: true }, 'a limit that was lowered can be reached')
  })

  test('a record above a limit that was lowered may still become smaller, and does not grow', async (t, driver) => {
    await driver.commit([write({ put: { a: noise(2_000), b: noise(1_000), c: int(1) } })])
    const low = (fields: Parameters<typeof write>[0]): RecordWrite => write({ maxBytes: 500, ...fields })
    t.match(await driver.commit([low({ base: 1, put: { b: noise(900), c: int(2) } })]), { ok: true })
    const before = await shown(driver)
    for (const put of [
      { b: noise(1_000) },
      { d: int(1) },
      // packed it would be smaller
      { b: noise(800), c: noise(50_000).fill(0, 5) },
    ]) {
      t.match(await driver.commit([low({ base: 2, put })]), refused('system:storage_full'))
    }
    t.strictSame(await shown(driver), before)
    t.match(await driver.commit([low({ base: 2, drop: ['a'] })]), { ok: true }, 'still above')
    t.match(await driver.commit([low({ base: 3 })]), { ok: true }, 'as it is')
    t.match(await driver.commit([low({ base: 4, put: { b: noise(100) } })]), { ok: true }, 'below')
    t.match(await driver.commit([low({ base: 5, put: { b: noise(600) } })]), refused('system:storage_full'))
  })

  test('as few as possible of the parts that may go do go, first ones first', async (t, driver) => {
    const put = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`round ${index}`, noise(1_000)]))
    const spare = ['never', ...Object.keys(put)]
    const result = await driver.commit([write({ put: { ...put, keep: int(1) }, spare, maxBytes: 6_600 })])
    const spared = ['round 0', 'round 1', 'round 2', 'round 3']
    t.strictSame(valueOf(result), [{ revision: 1, spared, skipped: false }])
    const record = valueOf(await driver.read(players(), ROOMY))
    t.strictSame([...(record?.parts.keys() ?? [])].sort(), ['keep', ...Object.keys(put).slice(4)])
    const rest = await driver.commit([write({ base: 1, put: { more: noise(10) }, spare, maxBytes: 6_800 })])
    t.match(valueOf(rest), [{ revision: 2, spared: [] }])
  })

  test('what is too large even so is skipped, and the commit goes on', async (t, driver) => {
    const tooLarge = {
      key: chats(),
      put: { a: noise(100), fixed: noise(3_000) },
      spare: ['a'],
      maxBytes: 2_000,
    }
    t.strictSame(valueOf(await driver.commit([write(tooLarge), write({ put: { b: int(1) } })])), [
      { revision: 0, spared: [], skipped: true },
      { revision: 1, spared: [], skipped: false },
    ])
    t.equal(await shown(driver, chats()), null)
    t.match(await shown(driver), { revision: 1 })
    await driver.commit([write({ key: chats(), put: { old: int(5) } })])
    t.match(valueOf(await driver.commit([write({ ...tooLarge, base: 1 })])), [{ revision: 1, skipped: true }])
    t.strictSame(await shown(driver, chats()), { revision: 1, parts: { old: '0300000005' } })
    const empty = write({ ...tooLarge, base: 1, spare: [] })
    t.match(
      valueOf(await driver.commit([empty])),
      [{ skipped: true }],
      'nothing to spare is something to skip',
    )
  })

  test('reading stops at its limit', async (t, driver) => {
    await driver.commit([write({ put: { a: noise(2_000) } })])
    t.match(await driver.read(players(), 1_500), refused('system:storage_too_large'))
    t.match(await driver.read(players(), 3_000), { ok: true })
  })
}

function inputs(test: Case): void {
  test('part names are any text', async (t, driver) => {
    const names = [
      'system:binding',
      'shop:offers/一',
      '\0',
      '😀',
      '__proto__',
      'constructor',
      'a b/../c',
      '1',
    ]
    await driver.commit([write({ put: Object.fromEntries(names.map((name, index) => [name, int(index)])) })])
    const record = valueOf(await driver.read(players(), ROOMY))
    t.strictSame([...(record?.parts.keys() ?? [])].sort(), [...names].sort())
    t.strictSame(Buffer.from(record?.parts.get('😀') ?? []), Buffer.from(int(3)))
  })

  test('names that are none are refused before anything happens', async (t, driver) => {
    for (const name of ['', 'version', 'revision', 'x'.repeat(513)]) {
      const bad = { ...write({}), put: new Map([[name, int(1)]]) }
      t.match(await driver.commit([write({ key: chats() }), bad]), refused('system:internal'))
    }
    const keys: RecordKey[] = [
      players('..'),
      players('word'),
      players(PLAYER.toUpperCase().replace('1', 'A')),
      players(`${PLAYER}/x`),
      ...['', '../x', 'a/b', 'a.b', 'A', 'x'.repeat(65), 'a\0'].map(
        (id) => ({ collection: 'shared', id }) as const,
      ),
    ]
    for (const key of keys) {
      t.match(await driver.commit([write({ key })]), refused('system:internal'), key.id)
      t.match(await driver.read(key, ROOMY), refused('system:internal'))
      t.match(await driver.remove(key), refused('system:internal'))
    }
    t.match(await driver.commit([write({}), write({})]), refused('system:internal'), 'one record twice')
    const given = Uint8Array.of(3, 0, 0, 0, 1)
    structuredClone(given, { transfer: [given.buffer] })
    for (const tag of [new Uint8Array(), given]) {
      const bad = { ...write({}), put: new Map([['a', tag]]) }
      t.match(await driver.commit([bad]), refused('system:internal'), 'bytes that are not there')
    }
    t.equal(await shown(driver, chats()), null)
    t.equal(await shown(driver), null)
  })
}

function ends(test: Case): void {
  test('closing waits for what was begun; then everything is stopping', async (t, driver) => {
    const begun = driver.commit([write({ put: { a: int(1) } })])
    await Promise.all([driver.close(), driver.close()])
    t.match(await begun, { ok: true })
    for (const late of [
      driver.commit([write({ base: 1 })]),
      driver.read(players(), ROOMY),
      driver.remove(players()),
      driver.list('players'),
    ]) {
      t.match(await late, refused('system:stopping'))
    }
  })
}
