import { z } from 'zod'
import type { ProviderStep, RecordedRequest } from '../../lib/testing/index.js'

/** What a loop's message holds, as far as the part needs it. */
const messageSchema = z.object({
  question: z.string(),
  observations: z.array(z.object({ id: z.int(), tool: z.string(), output: z.unknown() })).default([]),
})
const rowsSchema = z.object({ rows: z.array(z.object({ label: z.string(), value: z.string() })) })
const recipesSchema = z.object({
  recipes: z
    .array(
      z.object({ ingredients: z.array(z.object({ count: z.int(), anyOf: z.array(z.string()).min(1) })) }),
    )
    .min(1),
})

const messageOf = ({ body }: RecordedRequest) =>
  messageSchema.parse(JSON.parse(body.messages.at(-1)?.content ?? ''))

/**
 * The model's part in `/system reason`: it looks at the player, looks up the recipe, and answers from what it was shown,
 * as a real one would. A look-up that brought nothing makes the step fail.
 */
export function reasoningPart(goal: string): readonly ProviderStep[] {
  return [
    { type: 'player.info', input: {} },
    { type: 'recipe.query', input: { query: goal } },
    (request) => {
      const [own, recipe] = messageOf(request).observations
      const { rows } = rowsSchema.parse(own?.output)
      const [first] = recipesSchema.parse(recipe?.output).recipes
      const held = new Map(
        rows
          .filter(({ label }) => label === 'inventory')
          .map(({ value }) => value.split(' x '))
          .map(([name = '', count]) => [name, Number(count)]),
      )
      const needs = (first?.ingredients ?? []).map(({ count, anyOf }) => ({
        count,
        name: plainName(anyOf[0]),
      }))
      const lacks = needs.filter(({ name, count }) => (held.get(name) ?? 0) < count)
      const text =
        `A ${plainName(goal)} takes ${list(needs)}. ` +
        (lacks.length === 0 ? 'You have it all.' : `You still lack ${list(lacks)}.`)
      return { type: 'answer', text, sources: [own?.id ?? 0, recipe?.id ?? 0] }
    },
  ]
}

const plainName = (id = ''): string => id.replace(/^minecraft:/, '').replaceAll('_', ' ')

const list = (items: readonly { readonly count: number; readonly name: string }[]): string =>
  items.map(({ count, name }) => `${count} × ${name}`).join(' and ')
