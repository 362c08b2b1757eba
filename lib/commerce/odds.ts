import type { Message } from '../text/index.js'

const DIGITS = 4

/**
 * A chance as players read it: exact as `weight in total`, and beside it rounded: as per cent with four significant digits.
 * Weights up to 2^48 - 1 are exact in a number.
 */
export function oddsMessage({ weight, total }: { readonly weight: number; readonly total: number }): Message {
  const percent = Number(((weight / total) * 100).toPrecision(DIGITS))
  return { key: 'system.goods.odds', params: { weight, total, percent: percent.toString() } }
}
