import { z } from 'zod'

/** Rows of the provider table: what differs between vendors of the same protocol. */
export const providerNameSchema = z.enum([
  'deepseek',
  'qwen',
  'openai',
  'ollama',
  'llama.cpp',
  'vllm',
  'generic',
])
export type ProviderName = z.infer<typeof providerNameSchema>

/** How hard a model thinks, where it thinks. */
const effortSchema = z.enum(['low', 'high', 'max'])
export type Effort = z.infer<typeof effortSchema>

/** An endpoint as the agent group holds it; the key stays in that group's threads. */
export const endpointSchema = z.strictObject({
  id: z.string().min(1).max(256),
  provider: providerNameSchema,
  baseUrl: z.url(),
  model: z.string().min(1).max(256),
  apiKey: z.string(),
  thinking: z.boolean(),
  /** Null: as the provider does without being told. */
  effort: effortSchema.nullable(),
  extra: z.record(z.string(), z.unknown()),
})
export type Endpoint = z.infer<typeof endpointSchema>
