/** The value below which `share` (0–1) of the samples lie, nearest rank; NaN without samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN
}

/** The middle of the samples, the mean of the two middle ones for an even number; NaN without samples. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2
}

export const sum = (samples: readonly number[]): number => samples.reduce((total, value) => total + value, 0)

export const mean = (samples: readonly number[]): number => sum(samples) / samples.length

/** Three significant decimals are more than any of our clocks gives. */
export const rounded = (value: number): number => Math.round(value * 1_000) / 1_000
