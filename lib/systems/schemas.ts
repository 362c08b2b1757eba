import { z } from 'zod'
import type { Condition } from '../conditions/index.js'
import { identifierSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import type { ModuleType } from './module-type.js'

/** A module configuration, from either of its two shapes. */
export interface ModuleConfiguration {
  readonly type: Identifier
  /** The members that its type declares, decoded. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly condition: Condition | null
  /** Kept for clients that know it; nothing here resolves it. */
  readonly client: Identifier | null
}

/** A reference of a definition: an id or `#tag` of module configurations. */
export interface ModuleReference {
  readonly module: string
  /** Holds in this System only, together with the configuration's own. */
  readonly condition: Condition | null
}

/** What a System is. */
export interface SystemDefinition {
  /** Translation keys, or the words themselves. */
  readonly name: string
  readonly description: string
  readonly modules: readonly ModuleReference[]
}

const MAX_MODULES = 512
const reference = z.string().regex(/^#?[a-z0-9_.-]+:[a-z0-9_./-]+$/, 'neither an identifier nor a #tag')

/** The schema of files in `system/system/`. */
export const definitionSchema = (condition: z.ZodType<Condition>): z.ZodType<SystemDefinition> =>
  z.strictObject({
    name: z.string().min(1).max(256),
    description: z.string().max(1_024).default(''),
    modules: z
      .array(
        z.union([
          reference.transform((module) => ({ module, condition: null })),
          z
            .strictObject({ module: reference, condition: condition.optional() })
            .transform((entry) => ({ module: entry.module, condition: entry.condition ?? null })),
        ]),
      )
      .max(MAX_MODULES),
  })

/** The schema of files in `system/system_module/`: flat, or with what belongs to the server in a member of its own. */
export function configurationSchema(
  types: readonly ModuleType[],
  condition: z.ZodType<Condition>,
): z.ZodType<ModuleConfiguration> {
  const shared = { condition: condition.optional(), client: identifierSchema.optional() }
  return z.union([
    byType(types, shared).transform(normalized),
    z
      .strictObject({ server: byType(types, {}), ...shared })
      .transform(({ server, ...rest }) => normalized({ ...server, ...rest })),
  ])
}

function byType(types: readonly ModuleType[], shared: z.ZodRawShape) {
  const options = types.map(({ id, parameters = {} }) =>
    z.strictObject({ ...parameters, ...shared, type: z.literal(id) }),
  )
  const [first, ...rest] = options
  if (first === undefined) throw new TypeError('no module type')
  return z.discriminatedUnion('type', [first, ...rest])
}

function normalized(given: Readonly<Record<string, unknown>>): ModuleConfiguration {
  const { type, condition, client, ...parameters } = given
  return {
    type: type as Identifier,
    parameters,
    condition: (condition as Condition | undefined) ?? null,
    client: (client as Identifier | undefined) ?? null,
  }
}
