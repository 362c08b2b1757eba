import { z } from 'zod'
import type { CardButton, CardLine, CardType } from '../cards/index.js'
import { clipCodePoints } from '../core/code-points.js'
import { identifier } from '../core/ids.js'
import type { Round } from './rounds.js'

export const HISTORY_MODULE = identifier('system:history')

/** Rounds on a page. */
export const PAGE_ROUNDS = 5
/** Longest part of a text that a page shows, code points. */
const SHOWN_LIMIT = 240
const MAX_LINES = 8

const shownText = z.string().max(2 * SHOWN_LIMIT)
const historySchema = z.strictObject({
  /** From 0, the newest. */
  page: z.int().min(0),
  pages: z.int().min(1),
  /** Switched off: nothing is shown, though earlier rounds may be kept. */
  isOff: z.boolean(),
  /** Newest first. */
  rounds: z
    .array(z.strictObject({ asked: shownText, answered: z.array(shownText).max(MAX_LINES) }))
    .max(PAGE_ROUNDS),
})
export type History = z.infer<typeof historySchema>

/** The page of these rounds, the last one where there are fewer. */
export function historyPage(rounds: readonly Round[], wanted: number): Omit<History, 'isOff'> {
  const pages = Math.max(1, Math.ceil(rounds.length / PAGE_ROUNDS))
  const page = Math.min(wanted, pages - 1)
  const shown = rounds.toReversed().slice(page * PAGE_ROUNDS, (page + 1) * PAGE_ROUNDS)
  return { page, pages, rounds: shown.map(shortened) }
}

function shortened({ asked, answered, facts, titles }: Round): History['rounds'][number] {
  const said = [...(answered === '' ? [] : [answered]), ...(titles ?? facts)].slice(0, MAX_LINES)
  return {
    asked: clipCodePoints(asked, SHOWN_LIMIT),
    answered: said.map((text) => clipCodePoints(text, SHOWN_LIMIT)),
  }
}

/** Earlier rounds as plain text: no button of theirs comes to life again. */
export const historyCard: CardType<History> = {
  id: identifier('system:history'),
  schema: historySchema,
  build: ({ page, pages, isOff, rounds }) => ({
    title: { key: 'system.history.title', params: { page: page + 1, pages } },
    lines:
      rounds.length === 0
        ? [
            {
              kind: 'message',
              message: { key: isOff ? 'system.history.off' : 'system.history.empty' },
              tone: 'muted',
            },
          ]
        : rounds.map(roundLine),
    buttons: [
      ...(page > 0 ? [turnTo(page - 1, 'system.history.newer')] : []),
      ...(page + 1 < pages ? [turnTo(page + 1, 'system.history.older')] : []),
    ],
  }),
}

/** A slot of its own in a window, the question above what was answered everywhere. */
const roundLine = ({ asked, answered }: History['rounds'][number]): CardLine => ({
  kind: 'entry',
  icon: { item: identifier('minecraft:paper'), name: 'Paper' },
  title: { key: 'system.card.row', params: { label: { key: 'system.history.asked' }, value: asked } },
  about: answered,
  tone: 'accent',
})

const turnTo = (page: number, key: string): CardButton => ({
  label: { key },
  action: { kind: 'server', module: HISTORY_MODULE, params: { page: String(page + 1) } },
})
