/** What vanilla and others made: counted once by other means, see the research on vanilla's data. */
import t, { type Test } from 'tap'
import type { PackData } from '../../lib/packs/index.js'
import { problems, rawTexts, readFrom, sharedData } from '../support/packs.js'

const raw = (data: PackData, folder: string): number => data.raw.get(folder)?.ids.length ?? 0
const tags = (data: PackData, registry: string): number => data.tags.get(registry)?.size ?? 0

async function read(t: Test, packs: readonly string[], packFormat: number): Promise<PackData | null> {
  const extra = packs.map(sharedData).filter((path) => path !== null)
  if (extra.length === packs.length) return readFrom({ extra }, { packFormat })
  t.comment(`skipped: ${packs.join(', ')} not beside the project`)
  return null
}

const VANILLA: [string, number, Record<string, number>, Record<string, number>][] = [
  [
    'vanilla/vanilla-1.20.4.zip',
    26,
    { advancement: 1_271, recipe: 1_174, loot_table: 1_159 },
    { item: 99, block: 172, entity_type: 17 },
  ],
  [
    'vanilla/vanilla-1.21.4.zip',
    61,
    { advancement: 1_481, recipe: 1_370, loot_table: 1_237 },
    {
      item: 173,
      block: 186,
      entity_type: 35,
      enchantment: 22,
      damage_type: 33,
      'worldgen/biome': 70,
      'worldgen/structure': 13,
    },
  ],
]
for (const [zip, format, texts, registries] of VANILLA) {
  void t.test(`${zip} is read completely`, async (t) => {
    const data = await read(t, [zip], format)
    if (data === null) return
    t.strictSame(problems(data), [])
    for (const [folder, count] of Object.entries(texts)) t.equal(raw(data, folder), count, folder)
    for (const [registry, count] of Object.entries(registries)) t.equal(tags(data, registry), count, registry)
    const all = [...data.tags.values()].reduce((sum, { size }) => sum + size, 0)
    t.equal(all, format === 61 ? 562 : 422)
    for (const text of Object.values(rawTexts(data, 'advancement'))) t.doesNotThrow(() => JSON.parse(text))
  })
}

const OTHERS: [string, number, number][] = [
  ['packs/limes-fmt1.zip', 1_046, 12],
  ['packs/doadv-fmt48.zip', 122, 1],
]
for (const [zip, advancements, allTags] of OTHERS) {
  void t.test(`${zip} is read completely, with a note on its format`, async (t) => {
    const data = await read(t, [zip], 61)
    if (data === null) return
    t.equal(raw(data, 'advancement'), advancements)
    t.equal(
      [...data.tags.values()].reduce((sum, { size }) => sum + size, 0),
      allTags,
    )
    t.match(problems(data)[0], /^warning .* declares format/)
    t.ok(data.problems.every(({ warning }) => warning === true))
  })
}

void t.test('packs over vanilla override its files by id', async (t) => {
  const zips = ['vanilla/vanilla-1.21.4.zip', 'packs/limes-fmt1.zip', 'packs/doadv-fmt48.zip']
  const data = await read(t, zips, 61)
  if (data === null) return
  t.ok(raw(data, 'advancement') > 1_481)
  t.ok(raw(data, 'advancement') < 1_481 + 1_046)
  t.equal(raw(data, 'recipe'), 1_370)
})
