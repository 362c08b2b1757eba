import { z } from 'zod'

/** UTF-16 units of the longest input of a player, 1,000 code points of two units each; the engine counts the points. */
const MAX_UNITS = 2_000

/** What a player asks. */
export const questionTextSchema = z.string().min(1).max(MAX_UNITS)
