/** What a player may have of a model, each level with all before it. */
export const AI_LEVELS = [
  /** Nothing leaves the server. */
  'off',
  /** The model chooses a capability and puts what was found into words. */
  'route',
  /** Free chat too: one answer, without tools. */
  'chat',
  /** Free chat with a loop over the player's workflows. */
  'free',
] as const
export type AiLevel = (typeof AI_LEVELS)[number]

/** Whether `level` gives what `needed` names. */
export const reaches = (level: AiLevel, needed: AiLevel): boolean =>
  AI_LEVELS.indexOf(level) >= AI_LEVELS.indexOf(needed)

/** The lower, or the higher, of two levels. */
export const lowerLevel = (a: AiLevel, b: AiLevel): AiLevel => (reaches(a, b) ? b : a)
export const higherLevel = (a: AiLevel, b: AiLevel): AiLevel => (reaches(a, b) ? a : b)

/** What a player switches for itself; it can only lower what an administrator allows. */
export const AI_SWITCHES = ['externalAi', 'freeChat', 'history'] as const
