/** How many characters of a prompt in a row count as reciting it, from a place that STEP divides: 159 always do. */
const RUN = 120
const STEP = 40

/**
 * Whether a model's text repeats a long run of its instructions word for word (reported of real bots: they recite the
 * prompt in public chat). White space is folded on both sides, so that line breaks don't hide it.
 */
export function recitesPrompt(text: string, prompt: string): boolean {
  const said = fold(text)
  const instructions = fold(prompt)
  for (let at = 0; at + RUN <= instructions.length; at += STEP) {
    if (said.includes(instructions.slice(at, at + RUN))) return true
  }
  return false
}

const fold = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase()
