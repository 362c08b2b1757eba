import { z } from 'zod'
import { synonymsSchema } from '../../lib/lexical/index.js'
import { packMetaSchema, tagSchema } from '../../lib/packs/index.js'
import { catalogueSchema } from '../../lib/text/index.js'
import { builtInRegistries } from '../squid/built-in-content.js'

/** Below the folder of the configuration's schemas. */
export const PACK_SCHEMA_FOLDER = 'packs/'

/**
 * The JSON Schemas of the files of data packs, for editors, by name: draft 07, as those of the configuration, made of the
 * schemas that packs are decoded with. Types of extensions are not in them.
 */
export function packJsonSchemas(): ReadonlyMap<string, object> {
  const { definitions, configurations, templates, rewards, offers, pools } = builtInRegistries()
  const schemas: readonly (readonly [name: string, title: string, schema: z.ZodType])[] = [
    ['system', 'A System: data/<namespace>/system/system/<path>.json', definitions.schema],
    [
      'system_module',
      'A module configuration: data/<namespace>/system/system_module/<path>.json',
      configurations.schema,
    ],
    [
      'signin_rewards',
      'A reward for signing in: data/<namespace>/system/signin_rewards/<path>.json',
      rewards.schema,
    ],
    ['shop_offers', 'An offer: data/<namespace>/system/shop_offers/<path>.json', offers.schema],
    ['lottery_pools', 'A lottery: data/<namespace>/system/lottery_pools/<path>.json', pools.schema],
    ['card', "A card's template: data/<namespace>/system/card/<path>.json", templates.schema],
    ['tag', 'A tag: data/<namespace>/tags/<registry>/<path>.json', tagSchema],
    ['lang', 'Sentences: data/<namespace>/lang/<language>.json', catalogueSchema],
    ['synonyms', 'Synonyms: data/<namespace>/system/synonyms/<language>.json', synonymsSchema],
    ['pack.mcmeta', 'pack.mcmeta', packMetaSchema],
  ]
  return new Map(
    schemas.map(([name, title, schema]) => {
      const json = z.toJSONSchema(schema, { io: 'input', target: 'draft-07' })
      return [name, { title, ...json }] as const
    }),
  )
}
