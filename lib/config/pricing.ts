import { z } from 'zod'
import { timeZone, version } from './fields.js'

/** In the table's currency; the provider's own lists write decimals such as 0.003. Null: not known, so not priced. */
const price = z.number().min(0).max(1_000_000).nullable()

/** A calendar day, `2026-11-30`. */
const day = z.iso.date()

const validity = {
  from: day.nullable().default(null).describe('First day on which the entry counts; null: always did.'),
  until: day.nullable().default(null).describe('First day on which it counts no more; null: open.'),
  timeZone: timeZone.default('UTC').describe('Where days and times of the entry are meant.'),
}

const pattern = z
  .string()
  .min(1)
  .max(256)
  .describe('An id as it is configured; * stands for any number of any characters.')

/** Prices of a million tokens by class. A missing class of a window can't be guessed: all three are written. */
const tokenPricesSchema = z.strictObject({
  hit: price.describe('Of a million tokens of input that the provider had in its cache; null: not known.'),
  miss: price.describe('Of a million tokens of other input; null: not known.'),
  output: price.describe('Of a million tokens of output, reasoning included; null: not known.'),
})
export type TokenPrices = z.infer<typeof tokenPricesSchema>

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:30')

/** Hours with other prices, by the entry's `timeZone`. */
const priceWindowSchema = z
  .strictObject({
    days: z
      .array(z.int().min(1).max(7))
      .max(7)
      .default([1, 2, 3, 4, 5, 6, 7])
      .describe('Days of the week on which it begins: 1 is Monday, 7 is Sunday.'),
    from: timeOfDay.describe('First minute inside, such as 09:30.'),
    until: timeOfDay.describe('First minute outside; not later than `from`: that of the next day.'),
    except: z.array(day).max(366).default([]).describe('Days on which it does not begin, such as holidays.'),
  })
  .extend(tokenPricesSchema.shape)
export type PriceWindow = z.infer<typeof priceWindowSchema>

const modelPriceSchema = z
  .strictObject({
    model: pattern,
    ...validity,
    windows: z.array(priceWindowSchema).max(32).default([]).describe('Hours with other prices.'),
  })
  .extend(tokenPricesSchema.shape)
/** What a model costs; the first window that holds the moment wins over the prices of the entry itself. */
export type ModelPrice = z.infer<typeof modelPriceSchema>

/**
 * `system-model-pricing.json`: what model calls cost. The first entry whose pattern and dates fit counts; a model
 * without one is counted and shown as unpriced. One bad entry makes the whole table an empty one.
 */
export const modelPricingConfigSchema = z.object({
  version,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be three capital letters such as USD')
    .default('USD')
    .describe('Of all prices here and of searches; shown, never converted.'),
  prices: z
    .array(modelPriceSchema)
    .max(256)
    .default([])
    .describe('The first entry that fits counts; a model without one is counted unpriced.'),
})

const searchPriceSchema = z.strictObject({
  engine: pattern,
  ...validity,
  thousand: price.describe('Of a thousand searches that succeeded; null: not known.'),
})
export type SearchPrice = z.infer<typeof searchPriceSchema>

/** `system-search-pricing.json`: what web searches cost, read as the table of the models. */
export const searchPricingConfigSchema = z.object({
  version,
  prices: z.array(searchPriceSchema).max(256).default([]).describe('The first entry that fits counts.'),
})

/** DeepSeek bills double in two blocks of office hours in China, which are these in UTC; its holidays are the host's to add. */
function deepSeek(model: string, [hit, miss, output]: readonly [number, number, number]): ModelPrice {
  const peak = { days: [1, 2, 3, 4, 5], except: [], hit: hit * 2, miss: miss * 2, output: output * 2 }
  return {
    model,
    from: null,
    until: null,
    timeZone: 'UTC',
    windows: [
      { ...peak, from: '01:00', until: '04:00' },
      { ...peak, from: '06:00', until: '10:00' },
    ],
    hit,
    miss,
    output,
  }
}

/** What is written where there is no table yet: https://api-docs.deepseek.com/quick_start/pricing of November 2026. */
export const FIRST_MODEL_PRICES: readonly ModelPrice[] = [
  deepSeek('deepseek-flash', [0.003, 0.15, 0.6]),
  deepSeek('deepseek-v4-pro', [0.022, 0.66, 1.98]),
]

/** As above: https://api-docs.deepseek.com/guides/search. */
export const FIRST_SEARCH_PRICES: readonly SearchPrice[] = [
  { engine: 'deepseek', from: null, until: null, timeZone: 'UTC', thousand: 0.75 },
]
