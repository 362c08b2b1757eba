/** What the built-in pack puts up: all of it in the tags that its configurations name, of items that every version has. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { commerceRegistries } from '../../lib/commerce/index.js'
import type { Json } from '../../lib/core/json.js'
import { CostTypes } from '../../lib/costs/index.js'
import { loadItemCatalogue } from '../../lib/items/index.js'
import { RewardTypes } from '../../lib/rewards/index.js'
import { contentOf } from '../support/content.js'
import { VERSIONS } from '../support/versions.js'

const PACK = new URL('../../../datapacks/default/data/system/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, PACK), 'utf8')
const { rewards, offers, pools } = commerceRegistries(new CostTypes(), new RewardTypes())
const CATALOGUES = [
  { type: rewards, module: 'signin', member: 'rewards' },
  { type: offers, module: 'shop', member: 'offers' },
  { type: pools, module: 'lottery', member: 'pools' },
]

for (const { type, module, member } of CATALOGUES)
  void t.test(`${type.id}: every entry decodes, is in the tag, and can be given everywhere`, async (t) => {
    const files = readdirSync(new URL(`${type.folder}/`, PACK)).map((file) => file.replace('.json', ''))
    const texts = files.map((file) => read(`${type.folder}/${file}.json`))
    const entries = Object.fromEntries(
      files.map((file, at) => [`system:${file}`, JSON.parse(texts[at] ?? '') as Json]),
    )
    const content = await contentOf([type], { entries: { [type.folder]: entries } })
    t.same(content.problems, [])
    t.same(
      content
        .registry(type as typeof rewards)
        .values()
        .map(({ id }) => id)
        .toSorted(),
      Object.keys(entries).toSorted(),
    )
    const tag = JSON.parse(read(`tags/${type.folder}/default.json`)) as { values: string[] }
    t.same(tag.values.toSorted(), Object.keys(entries).toSorted())
    const configured = JSON.parse(read(`system/system_module/${module}.json`)) as Record<string, unknown>
    t.match(configured, { type: `system:${module}`, [member]: ['#system:default'] })
    const named = texts.flatMap((text) =>
      [...text.matchAll(/"(?:item|icon)": "(minecraft:\w+)"/g)].map(([, id]) => id ?? ''),
    )
    t.ok(named.length >= files.length)
    for (const version of VERSIONS) {
      const known = new Set<string>(loadItemCatalogue(version).items.map(({ id }) => id))
      t.same(
        named.filter((item) => !known.has(item)),
        [],
        version,
      )
    }
  })
