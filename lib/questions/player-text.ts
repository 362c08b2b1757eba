import { z } from 'zod'
import { INPUT_CHARACTERS } from '../agent/index.js'
import { codePoints } from '../core/code-points.js'

/**
 * What a player asks, as long as the engine lets a player's input be. zod counts UTF-16 units (an emoji has two), so
 * its own limit is twice as high and the exact one stands beside it.
 */
export const playerText = z
  .string()
  .min(1)
  .max(2 * INPUT_CHARACTERS)
  .refine((text) => codePoints(text) <= INPUT_CHARACTERS, `at most ${INPUT_CHARACTERS} characters`)
