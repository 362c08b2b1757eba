import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'
import type { SigninReward } from '../commerce/index.js'
import { type Calendar, isDay, shiftDay } from '../core/calendar.js'
import { identifier } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import { persistHolderSchema } from '../registry/index.js'
import type { Reward } from '../rewards/index.js'
import type { StorageType } from '../storage/index.js'

/** Days that are kept to be shown: two months. */
const KEPT_DAYS = 62
/** A day this much later than today's comes from no change of zone, but from a clock that was wrong. */
const EXPLAINED_DAYS = 2
const HOUR_MS = 3_600_000

const daySchema = z.string().refine(isDay)
// a JSON object with a type
const rewardSchema = z
  .record(z.string(), z.unknown())
  .refine(({ type }) => typeof type === 'string') as unknown as z.ZodType<Reward>
/** What was had, as cards show it; kinds of rewards that are gone since are shown by their names. */
const hadSchema: z.ZodType<SigninReward> = z.strictObject({
  title: z.string().nullable(),
  description: z.string().nullable(),
  icon: identifierSchema.nullable(),
  weight: z.int().min(1),
  rewards: z.array(rewardSchema),
})

const signinSchema = z.strictObject({
  /** The last day, `2026-11-30`; empty: none. */
  day: z.string().refine((text) => text === '' || isDay(text)),
  /** Days in a row up to that one. */
  streak: z.int().min(0),
  total: z.int().min(0),
  /** The last days, oldest first: what was had, by value. */
  history: z
    .array(
      z.strictObject({
        day: daySchema,
        /** Days in a row up to this one. */
        streak: z.int().min(1),
        reward: persistHolderSchema(hadSchema),
        /** The entry of the inbox. */
        entry: z.string().max(64),
      }),
    )
    .max(KEPT_DAYS),
})
export type Signin = z.infer<typeof signinSchema>

/** One book for all configurations of sign-ins: one reward a day. */
export const SIGNIN: StorageType<Signin> = {
  id: identifier('system:signin'),
  version: 1,
  schema: signinSchema,
  empty: { day: '', streak: 0, total: 0, history: [] },
}

/** Today, and the day before it by the same zone's calendar: zones have left days out. */
export interface Today {
  readonly day: string
  readonly before: string
}

export function todayOf(calendar: Calendar, timeZone: string, nowMs: number): Today {
  const { day } = calendar.at(timeZone, nowMs)
  for (let hours = 1; hours <= 72; hours++) {
    const before = calendar.at(timeZone, nowMs - hours * HOUR_MS).day
    if (before !== day) return { day, before }
  }
  return { day, before: shiftDay(day, -1) }
}

/**
 * Why nobody may sign in now, or nothing. `system:signed_in`: it was done today. `system:signin_future`: the last day is
 * still to come, so it pays nothing, and stays as it is.
 */
export function mayToday({ day }: Signin, today: Today): Result<void> {
  if (day === today.day) return fail('system:signed_in')
  return day > today.day ? fail('system:signin_future') : ok(undefined)
}

/** Whether only an administrator can help: the clock was far ahead once. */
export const isFarAhead = ({ day }: Signin, today: Today): boolean =>
  day > today.day && shiftDay(day, -EXPLAINED_DAYS) > today.day

/** What is kept once today is signed. */
export function signed(
  kept: Signin,
  today: Today,
  got: Pick<Signin['history'][number], 'reward' | 'entry'>,
): Signin {
  const streak = kept.day === today.before ? kept.streak + 1 : 1
  const history = [...kept.history, { ...got, day: today.day, streak }].slice(-KEPT_DAYS)
  return { day: today.day, streak, total: kept.total + 1, history }
}

/** The same without days that are still to come: the last one is the newest of the others. */
export function repaired(kept: Signin, today: Today): Signin {
  const history = kept.history.filter(({ day }) => day <= today.day)
  const { day, streak } = history.at(-1) ?? { day: '', streak: 0 }
  return { ...kept, day, streak, history }
}
