import { z } from 'zod'
import {
  FAST_POLICY,
  type AgentModule,
  type AgentResult,
  type ExecutionContext,
  type ExecutionPolicy,
} from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { identifierSchema } from '../codec/index.js'
import { replaced } from '../commerce/index.js'
import { reaches } from '../core/ai-level.js'
import { failure, type Failure } from '../core/failure.js'
import { identifier, type Identifier } from '../core/ids.js'
import { INBOX } from '../inventory/index.js'
import { SIGNIN } from './days.js'
import { decide } from './decision.js'
import { CHOOSE_MODULE, PICK_MODULE, signinCardType, SIGNIN_MODULE } from './signin-card.js'
import { SIGNIN_EXAMPLES } from './signin-examples.js'
import { pickType, type Signins } from './signin-tools.js'

const nothing = z.strictObject({})
const pickSchema = z.strictObject({ candidate: identifierSchema })

/** What a player who leaves the choice to the model has said. */
const ASKED = 'Choose my reward for today.'

/** One call to find the way here, and one to choose. */
const CHOOSE_POLICY: ExecutionPolicy = {
  ...FAST_POLICY,
  modelCalls: 2,
  writeSteps: 1,
  outputTokens: 512,
  ttlMillis: 30_000,
  modelTimeoutMillis: 15_000,
}

/** The card as it is now; `reason`: why what was wanted has not happened. */
function cardNow(
  signins: Signins,
  context: ExecutionContext,
  { said, reason }: { readonly said: string | null; readonly reason: Failure | null },
): AgentResult {
  const store = context.store()
  const { today, kept, candidates, refused } = signins.state(context.player, store.get(SIGNIN))
  const last = kept.history.find(({ day }) => day === today.day)
  const waits = store.get(INBOX).some(({ id, state }) => id === last?.entry && state === 'AVAILABLE')
  const isEmpty = refused === null && candidates.length === 0
  const why = reason ?? (isEmpty ? failure('system:signin_empty') : unlessSaid(refused))
  const result = replaced(
    context,
    cardOf(signinCardType, {
      today: today.day,
      streak: kept.day === today.day || kept.day === today.before ? kept.streak : 0,
      total: kept.total,
      signed: kept.history
        .map(({ day }) => day)
        .filter((day) => day.slice(0, 7) === today.day.slice(0, 7) && day <= today.day),
      candidates: candidates.map((holder) => signins.sold(holder)),
      canAsk: reaches(context.aiLevel, 'route'),
      got:
        last === undefined ? null : { reward: signins.sold(last.reward), claim: waits ? last.entry : null },
      said,
      failure: why?.code ?? null,
    }),
  )
  return why === null ? result : { ...result, status: 'failed', failure: why }
}

/** That it was done today is what the card shows anyway. */
const unlessSaid = (refused: Failure | null): Failure | null =>
  refused?.code === 'system:signed_in' ? null : refused

/** `/system signin`: the month, and what there is to choose from today. */
export const signinModule = (signins: Signins): AgentModule<Record<string, never>> => ({
  id: SIGNIN_MODULE,
  version: 1,
  action: nothing,
  description:
    "Shows the asking player's daily sign-in: the days of the month, and today's rewards to choose from.",
  help: { key: 'system.command.help.signin' },
  workbench: { icon: identifier('minecraft:sunflower'), title: { key: 'system.workbench.signin' } },
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

/** The model chooses one of what there is; where there is nothing to choose, the card says why. */
async function choose(signins: Signins, context: ExecutionContext): Promise<AgentResult> {
  const { candidates, refused } = signins.state(context.player, context.store().get(SIGNIN))
  const [first, ...rest] = candidates.map((holder) => signins.sold(holder))
  if (first === undefined) return cardNow(signins, context, { said: null, reason: refused })
  const decision = await decide(context, ASKED, [first, ...rest])
  const candidate = [first, ...rest].find(({ id }) => id === decision.candidate)?.id ?? first.id
  return pick(signins, context, { candidate, said: decision.text })
}

/** What the buttons of the rewards run. */
export const pickModule = (signins: Signins): AgentModule<z.infer<typeof pickSchema>> => ({
  id: PICK_MODULE,
  version: 1,
  action: pickSchema,
  description: 'Signs the player in for today.',
  help: { key: 'system.command.help.signin' },
  tools: [pickType.id],
  policy: { ...FAST_POLICY, writeSteps: 1 },
  routing: { selection: 'STRUCTURED_ONLY' },
  execute: (context, { candidate }) => pick(signins, context, { candidate, said: null }),
})

/** For a player who says, or presses, that the assistant shall sign them in and choose. */
export const chooseModule = (signins: Signins): AgentModule<Record<string, never>> => ({
  id: CHOOSE_MODULE,
  version: 1,
  action: nothing,
  description:
    'Signs the asking player in for today and chooses the reward for them. Only for a player who plainly asks to be signed in now.',
  help: { key: 'system.command.help.signin' },
  tools: [pickType.id],
  policy: CHOOSE_POLICY,
  needs: 'route',
  routing: { selection: 'EXPLICIT_ONLY' },
  execute: (context) => choose(signins, context),
})
