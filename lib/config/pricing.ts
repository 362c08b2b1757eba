import { z } from 'zod'
import { timeZone, version } from './fields.js'

/** In the table's currency; the provider's own lists write decimals such as 0.003. Null: not known, so not priced. */
const price = z.number().min(0).max(1_000_000).nullable()

/** A calendar day, `2026-11-30`. */
const day = z.iso.date()

/** First day of validity, and the first day no longer; null: open on that side. Days of the entry's `timeZone`. */
const validity = {
  from: day.nullable().default(null),
  until: day.nullable().default(null),
  timeZone: timeZone.default('UTC'),
}

/** An id as it is configured; `*` stands for any number of any characters. */
const pattern = z.string().min(1).max(256)

/** Prices of a million tokens by class. A missing class of a window can't be guessed: all three are written. */
const tokenPricesSchema = z.strictObject({
  /** Input that the provider had in its cache. */
  hit: price,
  /** Any other input. */
  miss: price,
  /** Output, reasoning included. */
  output: price,
})
export type TokenPrices = z.infer<typeof tokenPricesSchema>

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:30')

/** Hours with other prices, by the entry's `timeZone`. */
const priceWindowSchema = z
  .strictObject({
    /** The days on which it begins, 1 is Monday and 7 is Sunday. */
    days: z.array(z.int().min(1).max(7)).max(7).default([1, 2, 3, 4, 5, 6, 7]),
    /** First minute inside. */
    from: timeOfDay,
    /** First minute outside; not later than `from` means that of the next day. */
    until: timeOfDay,
    /** Days on which it doesn't begin, such as holidays. */
    except: z.array(day).max(366).default([]),
  })
  .extend(tokenPricesSchema.shape)
export type PriceWindow = z.infer<typeof priceWindowSchema>

const modelPriceSchema = z
  .strictObject({ model: pattern, ...validity, windows: z.array(priceWindowSchema).max(32).default([]) })
  .extend(tokenPricesSchema.shape)
/** What a model costs; the first window that holds the moment wins over the prices of the entry itself. */
export type ModelPrice = z.infer<typeof modelPriceSchema>

/**
 * `system-model-pricing.json`: what model calls cost. The first entry whose pattern and dates fit counts; a model
 * without one is counted and shown as unpriced. One bad entry makes the whole table an empty one.
 */
export const modelPricingConfigSchema = z.object({
  version,
  /** Of all prices here and in `system-search-pricing`; shown, never converted. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be three capital letters such as USD')
    .default('USD'),
  prices: z.array(modelPriceSchema).max(256).default([]),
})
export type ModelPricingConfig = z.infer<typeof modelPricingConfigSchema>

const searchPriceSchema = z.strictObject({
  engine: pattern,
  ...validity,
  /** Of a thousand searches that succeeded. */
  thousand: price,
})
export type SearchPrice = z.infer<typeof searchPriceSchema>

/** `system-search-pricing.json`: what web searches cost, read as the table of the models. */
export const searchPricingConfigSchema = z.object({
  version,
  prices: z.array(searchPriceSchema).max(256).default([]),
})
export type SearchPricingConfig = z.infer<typeof searchPricingConfigSchema>

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
