import type { Message } from '../text/index.js'

/** Significant digits of a percentage. */
const DIGITS = 4

/** A chance as players read it: exact, and rounded as per cent beside it. Weights up to 2^48 - 1 are exact in a number. */
export function oddsMessage({ weight, total }: { readonly weight: number; readonly total: number }): Message {
  return { key: 'system.goods.odds', params: { weight, total, percent: percentText(weight, total) } }
}

/** Four digits that count, never `0` for what can happen nor `100` for what may not. */
export function percentText(weight: number, total: number): string {
  const percent = (weight / total) * 100
  if (weight === total) return '100'
  const decimals = Math.max(0, DIGITS - 1 - Math.floor(Math.log10(percent)))
  const text = percent.toFixed(decimals).replace(/\.?0+$/, '')
  return text === '100' ? '> 99.99' : text
}
