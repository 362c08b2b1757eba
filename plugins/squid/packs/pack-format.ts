/** First version of each data pack format (minecraft.wiki, Pack format), newest first. */
const FORMATS: readonly (readonly [version: readonly number[], format: number])[] = [
  [[1, 21, 7], 81],
  [[1, 21, 6], 80],
  [[1, 21, 5], 71],
  [[1, 21, 4], 61],
  [[1, 21, 2], 57],
  [[1, 21], 48],
  [[1, 20, 5], 41],
  [[1, 20, 3], 26],
  [[1, 20, 2], 18],
  [[1, 20], 15],
  [[1, 19, 4], 12],
  [[1, 19], 10],
  [[1, 18, 2], 9],
  [[1, 18], 8],
  [[1, 17], 7],
  [[1, 16, 2], 6],
  [[1, 15], 5],
]
const OLDEST = 4

/** The data pack format of a version such as `1.21.4`. */
export function packFormatOf(version: string): number {
  const wanted = version.split('.').map(Number)
  const isReached = (first: readonly number[]): boolean => {
    for (const [place, part] of first.entries()) {
      const given = wanted[place] ?? 0
      if (given !== part) return given > part
    }
    return true
  }
  return FORMATS.find(([first]) => isReached(first))?.[1] ?? OLDEST
}
