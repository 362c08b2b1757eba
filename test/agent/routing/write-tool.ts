import { z } from 'zod'
import type { Tool } from '../../../lib/agent/index.js'
import { testTool } from '../../support/kernel.js'

/** A tool that writes; what writes is not offered to reasoning. */
export function writeTool(): Tool {
  const empty = z.strictObject({})
  const made = testTool({ id: 'test.write', input: empty, output: empty, write: true }, () => ({}))
  const { reasoning: _, ...type } = made.type
  return { ...made, type }
}
