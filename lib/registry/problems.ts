import type { PackProblem } from '../packs/index.js'
import { headUnits, plainText } from '../text/index.js'

/** So many problems are kept; the rest is counted. */
export const MAX_PROBLEMS = 1_000

const POINTER_UNITS = 512
const REASON_POINTS = 240
const LINE_POINTS = 600

/** A problem that has no line and column yet. */
export type Unlocated = Omit<PackProblem, 'line' | 'column'>

/** A place in an entry's file; both count from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Problems as they are found, bounded. */
export class Problems {
  readonly #found: Unlocated[] = []
  #more = 0

  /** Names and keys in it may be as long as a file. */
  add({ pack, file, pointer, reason }: Unlocated): void {
    if (this.#found.length < MAX_PROBLEMS)
      this.#found.push({
        pack,
        file,
        pointer: headUnits(pointer, POINTER_UNITS),
        reason: plainText(reason, { limit: REASON_POINTS }),
      })
    else this.#more += 1
  }

  get list(): readonly Unlocated[] {
    return this.#found
  }

  get more(): number {
    return this.#more
  }
}

const NUL = '\0'

/** What two loads are compared by: a line that has moved is no new problem. */
const keyOf = ({ pack, file, pointer, reason }: PackProblem): string =>
  [pack, file, pointer, reason].join(NUL)

interface Faulty {
  /** A pack that isn't used is among them. */
  readonly problems: readonly PackProblem[]
  readonly moreProblems: number
}

/** Problems of a load. */
export interface Problematic {
  readonly problems: readonly PackProblem[]
  /** Problems beyond those that are kept. */
  readonly more: number
}

/** What is wrong now and wasn't before. */
export function newProblems(before: Faulty, now: Faulty): Problematic {
  const known = new Set(before.problems.map(keyOf))
  return {
    problems: now.problems.filter((problem) => !known.has(keyOf(problem))),
    more: Math.max(0, now.moreProblems - before.moreProblems),
  }
}

/** Problems by which something is left out. */
export const faultsOf = ({ problems, more }: Problematic): Problematic => ({
  problems: problems.filter(({ warning }) => warning !== true),
  more,
})

/** A problem in one line, for a log or an administrator. */
export function problemLine({ pack, file, pointer, line, column, reason }: PackProblem): string {
  const place = line === null ? '' : `:${line}${column === null ? '' : `:${column}`}`
  const where = [pack, file === '' ? '' : `${file}${place}`, pointer].filter((part) => part !== '').join(' ')
  return plainText(where === '' ? reason : `${where}: ${reason}`, { limit: LINE_POINTS })
}
