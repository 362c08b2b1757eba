import { z } from 'zod'
import { AI_LEVELS } from '../core/ai-level.js'
import { isIdentifier } from '../core/ids.js'
import { utf8Bytes } from '../core/json.js'

/**
 * Most bytes that one tool or module may take of a model's catalogue, description and schema together: all have 8 KiB,
 * and one that fills them would end everybody's requests.
 */
const ENTRY_BYTES = 4_096

const message = z.object({ key: z.string().min(1).max(256) })
const closure = z.custom((value) => typeof value === 'function', 'must be a function')

/** What a tool says of itself, as far as others than its author depend on it. Schemas are looked at elsewhere. */
const typeSchema = z.object({
  write: z.boolean(),
  events: z.boolean().optional(),
  reasoning: z.string().min(1).optional(),
  label: message.optional(),
  project: closure.optional(),
  key: closure.optional(),
  card: closure.optional(),
  private: z.boolean().optional(),
  web: z.boolean().optional(),
})
const apart = <T extends z.ZodType<{ private?: boolean | undefined; web?: boolean | undefined }>>(
  type: T,
): T =>
  type.refine((given) => !(given.private === true && given.web === true), {
    path: ['web'],
    message: 'must not go with private: what is private stays on the server',
  })
const toolSchema = z.object({
  type: apart(typeSchema.extend({ kind: z.enum(['game', 'async', 'compute']) })),
  handler: closure,
})

const file = z.custom<URL>(
  (value) => value instanceof URL && value.protocol === 'file:',
  'must be the URL of a file, such as new URL("./plan.js", import.meta.url)',
)
const computeToolSchema = z.strictObject({
  type: apart(
    typeSchema.extend({
      kind: z.literal('compute', "must be 'compute' where a function is named"),
      write: z.literal(false, 'a pure function writes nothing'),
    }),
  ),
  owner: z.unknown(),
  compute: z.strictObject({
    module: file,
    export: z.string().regex(/^[A-Za-z_$][\w$]{0,127}$/, 'must be the name of an export'),
  }),
})

/** Everybody reads it on one card with the texts of others: no parameters, which could make that impossible to draw. */
const pageText = z.strictObject({ key: z.string().min(1).max(256) })
/** The page of a module in the workbench. */
export const workbenchPageSchema = z.strictObject({
  icon: z.string().max(256).refine(isIdentifier, 'must be an item such as minecraft:compass'),
  title: pageText.optional(),
  about: pageText.optional(),
  params: z.record(z.string().max(64), z.string().max(1_024)).optional(),
})

const moduleSchema = z.object({
  id: z.string().max(256).refine(isIdentifier, 'must be an id such as my:module'),
  version: z.int().min(1),
  description: z.string().min(1),
  help: message,
  workbench: workbenchPageSchema.optional(),
  tools: z.union([z.literal('reasoning'), z.array(z.string())]),
  needs: z.enum(AI_LEVELS).optional(),
  routing: z.object({
    selection: z.enum(['NORMAL', 'EXPLICIT_ONLY', 'STRUCTURED_ONLY']),
    fromCommand: closure.optional(),
    examples: z.record(z.string(), z.array(z.string().max(500))).optional(),
    extract: closure.optional(),
    fromButton: closure.optional(),
  }),
  resumes: z.union([z.array(z.int().min(1)), closure]).optional(),
  execute: closure,
})

const problemOf = (schema: z.ZodType, declared: unknown): string | null => {
  const issue = schema.safeParse(declared).error?.issues[0]
  return issue === undefined ? null : `${issue.path.join('.')}: ${issue.message}`
}

/** Why a tool cannot be taken, or null: extensions may be plain JavaScript. */
export function toolProblem(tool: object): string | null {
  if ('compute' in tool) return problemOf(computeToolSchema, tool)
  const kind = 'type' in tool ? (tool.type as { readonly kind?: unknown } | undefined)?.kind : undefined
  return problemOf(toolSchema, tool) ?? (kind === 'compute' ? 'compute: names no file and function' : null)
}

/** Why a module cannot be taken, or null. */
export const moduleProblem = (module: unknown): string | null => problemOf(moduleSchema, module)

const migration = z.object({ schema: z.instanceof(z.core.$ZodType), migrate: closure })

const storageSchema = z
  .object({
    id: z.string().max(128).refine(isIdentifier, 'must be an id such as my:data'),
    version: z.int().min(1),
    schema: z.instanceof(z.core.$ZodType),
    migrations: z.array(migration).optional(),
    rows: z.enum(['business', 'chat']).optional(),
    isHistory: z.boolean().optional(),
    survive: closure.optional(),
  })
  .refine(({ rows, isHistory }) => rows !== 'chat' || isHistory !== undefined, {
    path: ['isHistory'],
    message: 'must be said of chat rows',
  })

/** Why what is to be kept of players cannot be taken, or null. Whether it can be stored is looked at elsewhere. */
export const storageProblem = (type: unknown): string | null => problemOf(storageSchema, type)

/** Why what a model would read of it cannot be taken, or null. */
export function entryProblem(description: string, schemaText: string): string | null {
  const bytes = utf8Bytes(description) + utf8Bytes(schemaText)
  return bytes > ENTRY_BYTES
    ? `description and schema have ${bytes} bytes, a model reads ${ENTRY_BYTES} at most`
    : null
}
