import { z } from 'zod'
import { utf8Bytes } from '../core/json.js'
import { fail, ok, type Result } from '../core/result.js'
import type { JobTable } from './job-table.js'

/** Most bytes of JSON that go into a function, and that come out. */
export const FUNCTION_BYTES = 262_144

const id = z.string().min(1).max(256)
const text = z.string().max(FUNCTION_BYTES)

/**
 * The functions that a thread may run, by the tool they belong to: plugins named them when the server started. A job names
 * a tool, never a file.
 */
export const functionsSchema = z.strictObject({
  functions: z.array(
    z.strictObject({ tool: id, module: z.string().startsWith('file:').max(4_096), export: id }),
  ),
})
export type AuthorFunctions = z.infer<typeof functionsSchema>

const jobSchema = z.strictObject({ kind: z.literal('author-function'), tool: id, inputText: text })
/** Runs the function of a tool; resolves with the JSON text of what it gave. */
export type FunctionJob = z.infer<typeof jobSchema>
/** What such a job resolves with. */
export const functionAnswerSchema = text

/** The job by which plugins' functions run. `data` is the thread's own; other threads than those for them have none. */
export function createFunctionJobs(data: unknown): JobTable {
  const known = functionsSchema.safeParse(data)
  const functions = new Map((known.data?.functions ?? []).map((each) => [each.tool, each]))
  return new Map([
    [
      'author-function',
      async (job: unknown): Promise<Result<unknown>> => {
        const parsed = jobSchema.safeParse(job)
        const found = parsed.success ? functions.get(parsed.data.tool) : undefined
        if (!parsed.success || found === undefined) return fail('system:protocol')
        return call(found, parsed.data.inputText)
      },
    ],
  ])
}

async function call(
  { module, export: name }: AuthorFunctions['functions'][number],
  inputText: string,
): Promise<Result<unknown>> {
  const exported = (await import(module)) as Readonly<Record<string, unknown>>
  const run = exported[name]
  if (typeof run !== 'function') return fail('system:internal', {}, `${module} exports no function ${name}`)
  const output: unknown = await Reflect.apply(run, undefined, [JSON.parse(inputText) as unknown])
  const outputText: unknown = JSON.stringify(output)
  if (typeof outputText !== 'string') return fail('system:internal', {}, `${name} gave what JSON can't hold`)
  if (utf8Bytes(outputText) > FUNCTION_BYTES)
    return fail('system:internal', {}, `${name} gave more than ${FUNCTION_BYTES} bytes`)
  return ok(outputText)
}
