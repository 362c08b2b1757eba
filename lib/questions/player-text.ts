import { z } from 'zod'
import { INPUT_LIMIT } from '../command/index.js'
import { isLongerThan } from '../core/code-points.js'

/**
 * What a player asks, as long as the engine lets a player's input be. zod counts UTF-16 units (an emoji has two), so
 * its own limit is twice as high and the exact one stands beside it.
 */
export const playerText = z
  .string()
  .min(1)
  .max(2 * INPUT_LIMIT)
  .refine((text) => !isLongerThan(text, INPUT_LIMIT), `at most ${INPUT_LIMIT} characters`)
