import { z } from 'zod'
import {
  failedResult,
  FAST_POLICY,
  type AgentModule,
  type AgentResult,
  type ExecutionContext,
  type ExecutionPolicy,
} from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { identifierSchema } from '../codec/index.js'
import { replaced, type SigninReward } from '../commerce/index.js'
import { reaches } from '../core/ai-level.js'
import { failure, type Failure } from '../core/failure.js'
import { identifier, type Identifier } from '../core/ids.js'
import { INBOX } from '../inventory/index.js'
import { SIGNIN } from './days.js'
import { decide } from './decision.js'
import { PICK_MODULE, signinCardType, SIGNIN_MODULE, type SigninCard } from './signin-card.js'
import { SIGNIN_EXAMPLES } from './signin-examples.js'
import { pickType, type Signins } from './signin-tools.js'

export const CHOOSE_MODULE = identifier('system:signin_choose')

const nothing = z.strictObject({})
const pickSchema = z.union([
  z.strictObject({ candidate: identifierSchema }),
  z.strictObject({ ask: z.literal('yes') }),
])

/** What a player who leaves the choice to the model by a button has said. */
const ASKED = 'Choose my reward for today.'

const MODEL_POLICY: ExecutionPolicy = {
  ...FAST_POLICY,
  modelCalls: 1,
  writeSteps: 1,
  outputTokens: 512,
  ttlMillis: 30_000,
  modelTimeoutMillis: 15_000,
}

function cardNow(
  signins: Signins,
  context: ExecutionContext,
  { said, reason }: { readonly said: string | null; readonly reason: Failure | null },
): AgentResult {
  const store = context.store()
  const { today, kept, candidates } = signins.state(context.player, store.get(SIGNIN))
  const last = kept.history.find(({ day }) => day === today.day)
  const waits = store.get(INBOX).some(({ id, state }) => id === last?.entry && state === 'AVAILABLE')
  const data: SigninCard = {
    today: today.day,
    streak: kept.day === today.day || kept.day === today.before ? kept.streak : 0,
    total: kept.total,
    signed: kept.history.map(({ day }) => day).filter((day) => day.slice(0, 7) === today.day.slice(0, 7)),
    candidates: candidates.map((holder) => signins.sold(holder)),
    canAsk: reaches(context.aiLevel, 'route'),
    got:
      last === undefined
        ? null
        : {
            // what was signed was decoded then; its kinds may be gone, and are shown by name
            reward: signins.sold({ id: last.reward.id, value: last.reward.value as SigninReward }),
            claim: waits ? last.entry : null,
          },
    said,
    failure: reason?.code ?? (kept.day > today.day ? 'system:signin_future' : null),
  }
  const isEmpty = data.got === null && data.candidates.length === 0 && data.failure === null
  const card = cardOf(signinCardType, isEmpty ? { ...data, failure: 'system:signin_empty' } : data)
  const result = replaced(context, card)
  return reason === null ? result : { ...result, status: 'failed', failure: reason }
}

/** `/system signin`: the month, and what there is to choose from today. */
export const signinModule = (signins: Signins): AgentModule<Record<string, never>> => ({
  id: SIGNIN_MODULE,
  version: 1,
  action: nothing,
  description:
    "Shows the asking player's daily sign-in: the days of the month, and today's rewards to choose from.",
  help: { key: 'system.command.help.signin' },
  workbench: { icon: identifier('minecraft:clock'), title: { key: 'system.workbench.signin' } },
  tools: [],
  policy: FAST_POLICY,
  routing: { selection: 'NORMAL', fromCommand: () => ({}), examples: SIGNIN_EXAMPLES, extract: () => ({}) },
  execute: (context) => Promise.resolve(cardNow(signins, context, { said: null, reason: null })),
})

async function pick(
  signins: Signins,
  context: ExecutionContext,
  { candidate, said }: { readonly candidate: Identifier; readonly said: string | null },
): Promise<AgentResult> {
  const done = await context.tool(pickType, { candidate }, { step: 'pick' })
  return cardNow(signins, context, { said: done.ok ? said : null, reason: done.ok ? null : done.failure })
}

/** The model chooses one of what there is, where the player may have that of it. */
async function choose(signins: Signins, context: ExecutionContext, question: string): Promise<AgentResult> {
  const { candidates, refused } = signins.state(context.player, context.store().get(SIGNIN))
  if (refused !== null && !refused.ok)
    return cardNow(signins, context, { said: null, reason: refused.failure })
  const [first, ...rest] = candidates.map((holder) => signins.sold(holder))
  if (first === undefined) return failedResult(failure('system:signin_empty'))
  const decision = await decide(context, question, [first, ...rest])
  const candidate = [first, ...rest].find(({ id }) => id === decision.candidate)?.id ?? first.id
  return pick(signins, context, { candidate, said: decision.text })
}

/** What the buttons of the card run. */
export const pickModule = (signins: Signins): AgentModule<z.infer<typeof pickSchema>> => ({
  id: PICK_MODULE,
  version: 1,
  action: pickSchema,
  description: 'Signs the player in for today.',
  help: { key: 'system.command.help.signin' },
  tools: [pickType.id],
  policy: MODEL_POLICY,
  routing: { selection: 'STRUCTURED_ONLY' },
  execute: (context, action) =>
    'candidate' in action
      ? pick(signins, context, { candidate: action.candidate, said: null })
      : choose(signins, context, ASKED),
})

/** A player who says in so many words that the assistant shall sign them in. */
export const chooseModule = (signins: Signins): AgentModule<Record<string, never>> => ({
  id: CHOOSE_MODULE,
  version: 1,
  action: nothing,
  description:
    'Signs the asking player in for today and chooses the reward for them. Only for a player who plainly asks to be signed in now.',
  help: { key: 'system.command.help.signin' },
  tools: [pickType.id],
  policy: MODEL_POLICY,
  needs: 'route',
  routing: { selection: 'EXPLICIT_ONLY' },
  execute: (context) => choose(signins, context, ASKED),
})
