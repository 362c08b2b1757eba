import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { PACK_LIMITS } from '../../lib/packs/index.js'
import { packPlace, problems, rawTexts, readFrom, readOne, writePack } from '../support/packs.js'

const isPosix = process.platform !== 'win32'
const posix = isPosix ? {} : { skip: 'not on Windows' }
const RECIPE = 'data/a/recipe'

void t.test('links are not followed, wherever they lead, and named once', posix, async (t) => {
  const place = await packPlace(t)
  const outside = await writePack(join(place, 'outside'), { [`${RECIPE}/secret.json`]: {} })
  const pack = await writePack(join(place, 'pack'), { [`${RECIPE}/x.json`]: {} })
  await symlink(join(outside, RECIPE), join(pack, 'data/b'))
  await symlink(join(outside, RECIPE, 'secret.json'), join(pack, RECIPE, 'secret.json'))
  await symlink(join(pack, RECIPE, 'x.json'), join(pack, RECIPE, 'inside.json'))
  await symlink('..', join(pack, RECIPE, 'loop'))
  const data = await readFrom({ extra: [pack] })
  t.strictSame(rawTexts(data, 'recipe'), { 'a:x': '{}' })
  t.match(problems(data), [/is a link; links in packs are not followed \(3 more like it\)/])
})

void t.test(
  'a pack that is itself a link is refused in a folder of packs, followed where a host names it',
  posix,
  async (t) => {
    const place = await packPlace(t)
    const real = await writePack(join(place, 'real'), { [`${RECIPE}/x.json`]: {} })
    await mkdir(join(place, 'world'))
    await symlink(real, join(place, 'world', 'linked'))
    const data = await readFrom({ world: join(place, 'world'), extra: [join(place, 'world', 'linked')] })
    t.match(data.packs, [{ refused: /is a link/ }, { name: 'linked (2)', refused: null }])
  },
)

void t.test('a pipe is not waited for', posix, async (t) => {
  const place = await packPlace(t)
  const pack = await writePack(join(place, 'world', 'pack'), { [`${RECIPE}/x.json`]: {} })
  execFileSync('mkfifo', [
    join(pack, RECIPE, 'pipe.json'),
    join(place, 'world', 'pipe.zip'),
    join(place, 'pipe.zip'),
  ])
  const data = await readFrom({ world: join(place, 'world'), extra: [join(place, 'pipe.zip')] })
  t.strictSame(problems(data).sort(), [
    'pack data/a/recipe/pipe.json is neither a file nor a folder',
    'pipe.zip  is neither a file nor a folder',
    'pipe.zip (2)  is neither a folder nor a .zip file',
  ])
  t.equal(data.raw.get('recipe')?.ids.length, 1)
})

void t.test('a folder for a file, a file for a folder', async (t) => {
  const place = await packPlace(t)
  const pack = await writePack(join(place, 'pack'), { [`${RECIPE}/x.json/y.json`]: {}, 'data/b': 'x' })
  t.strictSame(problems(await readFrom({ extra: [pack] })), [])
  await writeFile(join(place, 'datapacks'), '')
  t.match(problems(await readFrom({ world: join(place, 'datapacks') })), [
    /"datapacks" could not be read \(ENOTDIR\)/,
  ])
})

void t.test('a JSON of 50 MB is one problem, and so is a deep one', async (t) => {
  const data = await readOne(t, {
    [`${RECIPE}/large.json`]: Buffer.alloc(50_000_000, 32),
    [`${RECIPE}/deep.json`]: '['.repeat(500_000),
    [`${RECIPE}/x.json`]: {},
  })
  t.strictSame(rawTexts(data, 'recipe'), { 'a:x': '{}' })
  t.strictSame(problems(data), [
    'pack data/a/recipe/deep.json:1:65 is not JSON: it is nested more than 64 levels deep',
    'pack data/a/recipe/large.json is larger than 1 MiB',
  ])
})

void t.test(
  'more files than a pack may have are refused with one message; other packs are read',
  async (t) => {
    const place = await packPlace(t)
    const large = await writePack(join(place, 'large'), {})
    for (let folder = 0; folder < 66; folder += 1) {
      const path = join(large, 'data', `ns${folder}`, 'recipe')
      mkdirSync(path, { recursive: true })
      for (let file = 0; file < 1_000; file += 1) writeFileSync(join(path, `${file}.json`), '')
    }
    const small = await writePack(join(place, 'small'), { [`${RECIPE}/x.json`]: {} })
    const data = await readFrom({ extra: [large, small] })
    t.strictSame(problems(data), ['large  has more than 65,536 files and folders'])
    t.equal(data.raw.get('recipe')?.ids.length, 1)
  },
)

void t.test('texts of all packs are bounded, with one message', async (t) => {
  const content = `"${' '.repeat(PACK_LIMITS.fileBytes - 2)}"`
  const names = Array.from({ length: 36 }, (_, at) => `${RECIPE}/${at}.json`)
  const data = await readOne(t, Object.fromEntries(names.map((name) => [name, content])))
  t.equal(data.raw.get('recipe')?.bytes.length, PACK_LIMITS.allBytes)
  t.match(problems(data), [/the packs hold more than 32 MiB of text; 4 files of this pack are left out/])
})

void t.test('values of entries are bounded, of each and of all', async (t) => {
  const list = (n: number): string => `[${'{},'.repeat(n - 2)}0]`
  const most = PACK_LIMITS.entryValues
  const full = Math.floor(PACK_LIMITS.values / most)
  const data = await readOne(t, {
    'data/a/system/system/large.json': list(most + 1),
    ...Object.fromEntries(
      Array.from({ length: full + 1 }, (_, at) => [`data/b/system/system/${1_000 + at}.json`, list(most)]),
    ),
    'data/a/tags/item/large.json': { values: Array.from({ length: most + 1 }, (_, at) => `a:${at}`) },
  })
  t.equal(data.entries.get('system/system')?.size, full - 2, 'the tag has used up the place of two')
  t.match(problems(data), [
    /a\/system\/system\/large.json holds 4,097 values; an entry may hold 4,096/,
    ...Array<RegExp>(3).fill(/the packs' entries hold more than 524,288 values/),
  ])
})

void t.test('problems are bounded, the rest is counted', async (t) => {
  const names = Array.from({ length: 1_200 }, (_, at) => `${RECIPE}/${at}.json`)
  const data = await readOne(t, Object.fromEntries(names.map((name) => [name, '{'])))
  t.equal(data.problems.length, PACK_LIMITS.problems)
  t.equal(data.moreProblems, 200)
})

void t.test('more packs than are loaded are one problem', posix, async (t) => {
  const place = await packPlace(t)
  const pack = await writePack(join(place, 'pack'), {})
  mkdirSync(join(place, 'links'))
  const extra = Array.from({ length: PACK_LIMITS.packs + 9 }, (_, at) => join(place, 'links', `p${at}`))
  for (const path of extra) symlinkSync(pack, path)
  const data = await readFrom({ extra })
  t.equal(data.packs.length, PACK_LIMITS.packs)
  t.strictSame(problems(data), ['  more than 256 packs; the last 9 are left out'])
})
