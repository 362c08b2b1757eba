import { z } from 'zod'
import type { CardLine, CardType } from '../cards/index.js'
import {
  asks,
  claimButtons,
  failureCodeSchema,
  failureLines,
  soldEntry,
  soldSchema,
  thingLines,
} from '../commerce/index.js'
import { shiftDay } from '../core/calendar.js'
import { identifier } from '../core/ids.js'

export const SIGNIN_MODULE = identifier('system:signin')
export const PICK_MODULE = identifier('system:signin_pick')
export const CHOOSE_MODULE = identifier('system:signin_choose')
/** Rewards that may be chosen from. */
export const MAX_CANDIDATES = 9

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)

const signinSchema = z.strictObject({
  today: day,
  streak: z.int().min(0),
  total: z.int().min(0),
  /** Days of this month that were signed. */
  signed: z.array(day).max(31),
  /** To choose from; none when there is nothing to be had. */
  candidates: z.array(soldSchema).max(MAX_CANDIDATES),
  /** Whether a model may choose. */
  canAsk: z.boolean(),
  /** What today has brought. */
  got: z
    .strictObject({
      reward: soldSchema,
      /** Its entry of the inbox while it waits. */
      claim: z.string().max(64).nullable(),
    })
    .nullable(),
  /** What the model said about its choice. */
  said: z.string().max(400).nullable(),
  failure: failureCodeSchema.nullable(),
})
export type SigninCard = z.infer<typeof signinSchema>

/** The month in weeks of seven days from the first: signed days in brackets, today marked. */
function weeks({ today, signed }: Pick<SigninCard, 'today' | 'signed'>): CardLine[] {
  const month = today.slice(0, 7)
  const days: string[] = []
  for (let at = `${month}-01`; at.startsWith(month); at = shiftDay(at, 1)) days.push(at)
  const shown = days.map((one) => {
    const number = one.slice(8)
    if (signed.includes(one)) return `[${number}]`
    return one === today ? `›${number}‹` : ` ${number} `
  })
  const lines: CardLine[] = []
  for (let at = 0; at < shown.length; at += 7)
    lines.push({ kind: 'text', text: shown.slice(at, at + 7).join(' '), tone: 'muted' })
  return lines
}

/** The days of this month, and what there is for today. */
export const signinCardType: CardType<SigninCard> = {
  id: identifier('system:signin'),
  schema: signinSchema,
  build: (data) => {
    const { today, streak, total, candidates, canAsk, got, said, failure } = data
    return {
      title: { key: 'system.signin.title', params: { day: today } },
      lines: [
        ...failureLines(failure),
        ...(got === null
          ? []
          : [{ kind: 'message' as const, message: { key: 'system.signin.got' }, tone: 'good' as const }]),
        ...(said === null ? [] : [{ kind: 'text' as const, text: said }]),
        ...(got === null ? [] : thingLines(got.reward.things)),
        ...(candidates.length === 0
          ? []
          : [{ kind: 'message' as const, message: { key: 'system.signin.choose' } }]),
        ...candidates.map((candidate): CardLine => ({
          kind: 'entry',
          ...soldEntry(candidate, asks(PICK_MODULE, { candidate: candidate.id })),
        })),
        { kind: 'row', label: { key: 'system.signin.streak' }, value: String(streak) },
        { kind: 'row', label: { key: 'system.signin.total' }, value: String(total), tone: 'muted' },
        ...weeks(data),
      ],
      buttons: [
        ...claimButtons(got?.claim ?? null),
        ...(canAsk && candidates.length > 1
          ? [{ id: 'ask', label: { key: 'system.signin.ask' }, action: asks(CHOOSE_MODULE) }]
          : []),
      ],
    }
  },
  memoryFact: ({ today, streak, got }) =>
    got === null
      ? `The player has not signed in on ${today} yet.`
      : `The player signed in on ${today}, ${streak} days in a row, and got ${got.reward.id}.`,
}
