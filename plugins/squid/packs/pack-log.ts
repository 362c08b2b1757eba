import type { Logger } from '../../../lib/core/logger.js'
import { problemLine, type Problematic } from '../../../lib/registry/index.js'

/** So many problems get a line of their own. */
const LINES = 20

/** One line for each problem, and one for those beyond a page. */
export function logProblems(logger: Logger, { problems, more }: Problematic): void {
  for (const problem of problems.slice(0, LINES)) logger.warn(`packs: ${problemLine(problem)}`)
  const rest = Math.max(0, problems.length - LINES) + more
  if (rest > 0) logger.warn(`packs: and ${rest} more problems`)
}
