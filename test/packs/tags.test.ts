import t from 'tap'
import { identifier } from '../../lib/core/ids.js'
import { TimeSlice } from '../../lib/core/time-slice.js'
import { PACK_LIMITS } from '../../lib/packs/index.js'
import { TagResolver } from '../../lib/packs/resolve-tags.js'
import { problems, readAll, readOne, readZip, tag, zipPack } from '../support/packs.js'

const ITEM = 'data/a/tags/item'

void t.test(
  'files of packs are merged in their order, without duplicates; replace begins anew',
  async (t) => {
    const data = await readAll(t, {
      one: { [`${ITEM}/x.json`]: { values: ['a:1', 'a:2'] }, [`${ITEM}/y.json`]: { values: ['a:1'] } },
      two: {
        [`${ITEM}/x.json`]: { values: ['a:3', 'a:1'], replace: false },
        [`${ITEM}/y.json`]: { values: ['a:2'], replace: true, __comment: 'kept out' },
      },
      three: { 'data/a/tags/items/y.json': { values: ['plain'] } },
    })
    t.strictSame(tag(data, 'item', 'a:x'), ['a:1', 'a:2', 'a:3'])
    t.strictSame(tag(data, 'item', 'a:y'), ['a:2', 'minecraft:plain'])
    t.strictSame(problems(data), [])
  },
)

void t.test('nested and optional members, an object without required is required', async (t) => {
  const data = await readOne(t, {
    [`${ITEM}/x.json`]: {
      values: ['a:1', '#a:inner', { id: '#a:none', required: false }, { id: 'a:4' }, { id: '#a:inner' }],
    },
    [`${ITEM}/inner.json`]: { values: ['a:2', '#a:deep'] },
    [`${ITEM}/deep.json`]: { values: ['a:3', 'a:1'] },
  })
  t.strictSame(tag(data, 'item', 'a:x'), ['a:1', 'a:2', 'a:3', 'a:4'])
  t.strictSame(problems(data), [])
})

void t.test(
  'a required tag that is not there is left out and named once for each file; the tag stays',
  async (t) => {
    const data = await readOne(t, {
      [`${ITEM}/x.json`]: '{"values": [\n"a:1", "#a:gone",\n"#a:gone2", "#a:gone3", "#a:gone4"]}',
      [`${ITEM}/y.json`]: { values: ['#a:x', '#minecraft:logs', '#other:pack'] },
    })
    t.strictSame(tag(data, 'item', 'a:x'), ['a:1'])
    t.strictSame(tag(data, 'item', 'a:y'), ['a:1'])
    t.strictSame(problems(data), [
      'pack data/a/tags/item/x.json#/values/1:2:8 names #a:gone, #a:gone2, #a:gone3 and 1 more, which no pack has; left out of the tag',
      'warning pack data/a/tags/item/y.json#/values/1:1:19 names #minecraft:logs, #other:pack, which no pack has; left out of the tag',
    ])
  },
)

void t.test('tags of our registries name entries that are there', async (t) => {
  const data = await readOne(t, {
    'data/a/system/system/there.json': {},
    'data/a/system/system/broken.json': '{',
    'data/a/tags/system/system/x.json': {
      values: ['a:there', 'a:broken', { id: 'a:maybe', required: false }, 'a:gone'],
    },
  })
  t.strictSame(tag(data, 'system/system', 'a:x'), ['a:there', 'a:broken'])
  t.match(problems(data), [/broken.json/, /x.json#\/values\/3:\d+:\d+ names a:gone, which no pack has/])
})

void t.test('of a bad file what is good stays, with one problem', async (t) => {
  const data = await readOne(t, {
    [`${ITEM}/x.json`]: { values: ['a:1', 'A:Upper', 7, { id: 'a:2', required: 'no' }, 'a:3'] },
    [`${ITEM}/y.json`]: { values: 'a:1' },
    [`${ITEM}/z.json`]: ['a:1'],
    [`${ITEM}/r.json`]: { values: [], replace: 1 },
    [`${ITEM}/long.json`]: { values: [`a:${'x'.repeat(300)}`] },
  })
  t.strictSame(tag(data, 'item', 'a:x'), ['a:1', 'a:3'])
  t.strictSame(
    data.problems.map(({ file, pointer }) => `${file.slice(ITEM.length + 1)}${pointer}`),
    ['long.json/values/0', 'r.json/replace', 'x.json/values/1', 'y.json', 'z.json'],
  )
})

void t.test('tags that lead to themselves are named once; what is beside the cycle stays', async (t) => {
  const data = await readOne(t, {
    [`${ITEM}/a.json`]: { values: ['#a:b', 'a:1'] },
    [`${ITEM}/b.json`]: { values: ['a:2', '#a:c', '#a:leaf'] },
    [`${ITEM}/c.json`]: { values: ['#a:a', 'a:3'] },
    [`${ITEM}/self.json`]: { values: ['#a:self', 'a:4'] },
    [`${ITEM}/leaf.json`]: { values: ['a:5'] },
    [`${ITEM}/user.json`]: { values: ['#a:a', '#a:self'] },
  })
  t.strictSame(tag(data, 'item', 'a:a'), ['a:1'])
  t.strictSame(tag(data, 'item', 'a:b'), ['a:2', 'a:5'])
  t.strictSame(tag(data, 'item', 'a:user'), ['a:1', 'a:4'])
  t.strictSame(problems(data).sort(), [
    'pack data/a/tags/item/a.json tags lead to themselves: #a:a, #a:b, #a:c; what they name of each other is left out',
    'pack data/a/tags/item/self.json tags lead to themselves: #a:self; what they name of each other is left out',
  ])
})

const many = (n: number, values: (at: number) => unknown[]) =>
  Object.fromEntries(
    Array.from({ length: n }, (_, at) => [`${ITEM}/t${at}.json`, JSON.stringify({ values: values(at) })]),
  )

void t.test('a cycle and a chain of 10,000 tags', async (t) => {
  const cycle = await readZip(t, zipPack(many(10_000, (at) => [`#a:t${(at + 1) % 10_000}`, `a:${at}`])))
  t.equal(cycle.tags.get('item')?.size, 10_000)
  t.strictSame(tag(cycle, 'item', 'a:t7'), ['a:7'])
  t.match(problems(cycle), [/tags lead to themselves: #a:t0, #a:t1, #a:t10 and 9997 more/])
  const chain = await readZip(
    t,
    zipPack(many(10_000, (at) => (at === 9_999 ? ['a:end'] : [`#a:t${at + 1}`]))),
  )
  t.strictSame(tag(chain, 'item', 'a:t0'), ['a:end'])
  t.strictSame(problems(chain), [])
})

void t.test('members of all tags are bounded, ours come first', async (t) => {
  const zip = zipPack({
    ...many(2_000, (at) => [`a:${at}`, ...(at < 1_999 ? [`#a:t${at + 1}`] : [])]),
    'data/a/system/system/s.json': {},
    'data/a/tags/system/system/x.json': { values: ['a:s'] },
  })
  const data = await readZip(t, zip)
  const members = [...(data.tags.get('item')?.values() ?? [])].reduce((sum, ids) => sum + ids.length, 0)
  t.ok(members + (data.tags.get('item')?.size ?? 0) <= PACK_LIMITS.tagMembers)
  t.strictSame(tag(data, 'system/system', 'a:x'), ['a:s'])
  t.match(problems(data), [/the tags hold or repeat more than 65,536 ids together; [\d,]+ tags are left out/])
})

void t.test('what members cost is bounded too: the same ids by many ways', async (t) => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `a:${at}`)
  const all = Array.from({ length: 50 }, (_, at) => `#a:t${at}`)
  const data = await readZip(t, zipPack(many(62, (at) => (at < 50 ? ids : all))))
  t.equal(tag(data, 'item', 'a:t50')?.length, 1_000)
  t.equal(tag(data, 'item', 'a:t61'), undefined)
  t.match(problems(data), [/together; [234] tags are left out/])
})

const EMPTY = { files: ['file'], members: [] }

void t.test('tags without members are bounded with the others', async (t) => {
  const told: string[] = []
  const resolver = new TagResolver<string>({
    known: () => null,
    hasNamespace: () => true,
    report: ({ reason }) => void told.push(reason),
    slice: new TimeSlice(),
  })
  const drafts = Array.from({ length: 70_000 }, (_, at) => [identifier(`a:t${at}`), EMPTY] as const)
  t.equal((await resolver.resolve('item', new Map(drafts))).size, PACK_LIMITS.tagMembers)
  resolver.finish('file')
  t.match(told, [/more than 65,536 ids together; 4,464 tags are left out/])
})
