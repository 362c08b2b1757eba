import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { PACK_LIMITS } from '../../lib/packs/index.js'
import {
  packPlace,
  problems,
  rawTexts,
  readFrom,
  readOne,
  readZip,
  values,
  zipPack,
} from '../support/packs.js'
import { zipOf, type ZipEntry } from '../support/zip.js'

const X = 'data/a/recipe/x.json'
const FILES = {
  [X]: { a: 1 },
  'data/a/recipe/big.json': { text: 'x'.repeat(100_000) },
  'data/a/system/system/s.json': {},
  'data/a/tags/items/t.json': { values: ['a'] },
}
const evil = (name: string | Uint8Array) => readZip(t, zipPack(FILES, [{ name, content: '{}' }]))

void t.test('a zip is read as the folder with the same files', async (t) => {
  const [zip, folder] = [await readZip(t, zipPack(FILES)), await readOne(t, FILES)]
  t.strictSame(problems(zip), [])
  t.match(zip.packs, [{ name: 'pack.zip', kind: 'zip', format: 61 }])
  t.strictSame(rawTexts(zip, 'recipe'), rawTexts(folder, 'recipe'))
  t.strictSame(values(zip, 'system/system'), values(folder, 'system/system'))
  t.strictSame(zip.tags, folder.tags)
  const comment = await readZip(
    t,
    zipOf([{ name: 'pack.mcmeta', content: '{"pack":{"pack_format":61}}' }], { comment: 'x' }),
  )
  t.strictSame(problems(comment), [])
})

void t.test('names that lead out of the zip refuse it whole', async (t) => {
  const names = [
    '../x.json',
    'data/../../x.json',
    'data/a/..',
    '/etc/x',
    'C:/x',
    'c:x',
    'data\\a\\x.json',
    '..\\x',
    'data//x.json',
    './x.json',
    'data/./x',
    'a\0b',
    '\\\\server\\x',
    '',
  ]
  for (const name of names) {
    const data = await evil(name)
    t.match(data.packs, [{ refused: /^holds an entry with the name/ }], JSON.stringify(name))
    t.equal(data.problems.length, 1)
    t.equal(data.raw.size, 0)
  }
})

void t.test('one name twice refuses it whole', async (t) => {
  t.match((await evil(X)).packs, [{ refused: `holds "${X}" twice` }])
})

const LIES: [string, Partial<ZipEntry>, RegExp][] = [
  ['claims 1 GB', { claimedBytes: 1_000_000_000 }, /is larger than 1 MiB/],
  [
    'claims little and unpacks to much',
    { content: ' '.repeat(50_000_000), claimedBytes: 10, packedBytes: 70 },
    /more than it claims|unpacked/,
  ],
  ['claims less than it is', { claimedBytes: 5 }, /unpacks to more than it claims/],
  ['claims more than it is', { claimedBytes: 500 }, /another size than it claims/],
  ['is stored with another size', { isStored: true, claimedBytes: 19 }, /another size than it claims/],
  ['claims to be packed in more than it is', { packedBytes: 500_000 }, /larger packed than unpacked/],
  ['is encrypted', { flags: 1 }, /is encrypted/],
  ['is packed in another way', { method: 14 }, /packed by method 14/],
  ['has a wrong check sum', { crc: 7 }, /check sum is wrong/],
  ['is a link', { mode: 0o120777, content: '/etc/passwd' }, /is a link/],
  ['lies elsewhere', { offset: 3 }, /is not where the zip says/],
  ['lies behind the end', { offset: 0x7fffffff }, /is not where the zip says/],
  ['is cut off', { packedBytes: 70, claimedBytes: 80, offset: 0 }, /damaged/],
  ['is 50 MB large', { content: ' '.repeat(50_000_000) }, /is larger than 1 MiB/],
]
for (const [name, lie, reason] of LIES) {
  void t.test(`an entry that ${name} is left out alone`, async (t) => {
    const entry = { name: 'data/a/recipe/liar.json', content: '{"a": "some text here"}', ...lie }
    const data = await readZip(t, zipPack({ [X]: { a: 1 } }, [entry]))
    t.strictSame(rawTexts(data, 'recipe'), { 'a:x': '{"a":1}' })
    t.match(problems(data), [reason])
    t.match(data.problems, [{ file: 'data/a/recipe/liar.json' }])
  })
}

void t.test('entries that nobody needs are never unpacked', async (t) => {
  const bomb = {
    name: 'data/a/structure/bomb.nbt',
    content: ' '.repeat(5_000_000),
    claimedBytes: 4_000_000_000,
  }
  const data = await readZip(t, zipPack(FILES, [bomb, { name: 'data/a/recipe/' }]))
  t.strictSame(problems(data), [])
})

void t.test('what a zip unpacks to is bounded, with one message', async (t) => {
  const content = `"${' '.repeat(PACK_LIMITS.fileBytes - 2)}"`
  const entries = Array.from({ length: 40 }, (_, at) => ({ name: `data/a/recipe/${at}.json`, content }))
  const data = await readZip(t, zipPack({}, entries))
  t.ok((data.raw.get('recipe')?.bytes.length ?? 0) <= PACK_LIMITS.unpackedBytes)
  t.match(problems(data), [/the zip unpacks to more than 32 MiB; \d+ files of this pack are left out/])
})

void t.test('100,000 entries are refused by each way of counting them', async (t) => {
  const entries = Array.from({ length: 100_000 }, (_, at) => ({ name: `data/a/recipe/${at}.json` }))
  const meta = { name: 'pack.mcmeta', content: '{"pack":{"pack_format":61}}' }
  for (const isZip64 of [true, false]) {
    const data = await readZip(t, zipOf([meta, ...entries], { isZip64 }))
    t.strictSame(problems(data), ['pack.zip  has more than 65,536 files and folders'])
    t.equal(data.raw.size, 0)
  }
})

void t.test('what is no zip is refused in one line', async (t) => {
  const place = await packPlace(t)
  const zip = zipPack(FILES)
  const rows: [string, Uint8Array][] = [
    ['empty', new Uint8Array()],
    ['text', Buffer.from('a text')],
    ['cut at the end', zip.subarray(0, zip.length - 40)],
    ['cut at the start', zip.subarray(50)],
    ['disks', zip.with(zip.length - 18, 1)],
  ]
  for (const [name, bytes] of rows) {
    const path = join(place, `${name}.zip`)
    await writeFile(path, bytes)
    const data = await readFrom({ extra: [path] })
    t.equal(data.problems.length, 1, name)
    t.match(data.packs, [{ refused: /./ }])
    t.notMatch(JSON.stringify(data), place)
  }
})

void t.test('a zip with any byte changed is read or refused, and never ends the reading', async (t) => {
  const zip = zipPack({ [X]: { a: 1 }, 'data/a/tags/item/t.json': { values: ['a'] } })
  const path = join(await packPlace(t), 'pack.zip')
  for (let at = 0; at < zip.length; at += 1) {
    const changed = Buffer.from(zip)
    changed[at] = (changed[at] ?? 0) ^ (at % 3 === 0 ? 0xff : 0x41)
    await writeFile(path, changed)
    const data = await readFrom({ extra: [path] })
    if (data.packs.length !== 1) t.fail(`byte ${at}`)
  }
})
