import { headPoints } from '../core/code-points.js'
import { headUnits } from '../text/index.js'
import { PACK_LIMITS } from './limits.js'
import type { PackProblem } from './pack-data.js'

/** A problem with what is usually not known left out. */
export type Fault = Pick<PackProblem, 'pack' | 'file' | 'reason'> & Partial<PackProblem>

/** What went wrong so far, bounded. */
export class Problems {
  readonly list: PackProblem[] = []
  more = 0

  add(fault: Fault): void {
    if (this.list.length < PACK_LIMITS.problems)
      this.list.push({
        line: null,
        column: null,
        ...fault,
        // keys in it may be as long as a file
        pointer: headUnits(fault.pointer ?? '', PACK_LIMITS.pathUnits),
      })
    else this.more += 1
  }
}

/** Outside text as a problem repeats it: one line, bounded, printable. */
export function quoted(text: string): string {
  const kept = headPoints(text, PACK_LIMITS.quotedPoints)
  const shown = kept.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD')
  return kept.length < text.length ? `${shown}…` : shown
}

/** Up to three names, and how many there are beyond. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map(quoted).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

/** A number as hosts read it: `65,536`. */
export const count = (n: number): string => n.toLocaleString('en-US')
