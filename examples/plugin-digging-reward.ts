/**
 * A flying-squid plugin that rewards digging with event tasks: every tenth block of a player becomes a task that the System
 * keeps before it runs and until it is over. A logout, a crash or a restart in the middle costs nothing and gives nothing
 * twice. It stands beside the System in flying-squid's settings, in any order.
 */
import type { EventEmitter } from 'node:events'
import { EVENT_POLICY, failedResult, identifier, playerId } from 'flying-squid-system'
import type {
  AgentModule,
  EventRule,
  Registration,
  StorageType,
  SystemHandle,
  ToolType,
} from 'flying-squid-system'
import { z } from 'zod'

const EVERY = 10

/** 1. What is kept of each player. */
const tokens = z.strictObject({ tokens: z.int().min(0) })
type Tokens = z.infer<typeof tokens>
const TOKENS: StorageType<Tokens> = {
  id: identifier('digging:tokens'),
  version: 1,
  schema: tokens,
  empty: { tokens: 0 },
}

/** 2. The write tool. `events`: event tasks may call it; then it is async, and makes its change with `commit`. */
const reward = z.strictObject({ count: z.int().min(1) })
type Reward = z.infer<typeof reward>
const credit: ToolType<Reward, Tokens> = {
  id: 'digging:credit',
  input: reward,
  output: tokens,
  kind: 'async',
  write: true,
  events: true,
}

/** 3. The module of the task: STRUCTURED_ONLY without a command, so no player and no model can start it. */
const rewarded: AgentModule<Reward> = {
  id: identifier('digging:rewarded'),
  version: 2,
  action: reward,
  description: 'Credits tokens for blocks that were dug.',
  help: { key: 'digging.help' },
  tools: [credit.id],
  policy: EVENT_POLICY, // 4 write steps, 5 minutes from the submission on
  routing: { selection: 'STRUCTURED_ONLY' },
  // tasks of version 1, whose input was another, go on after an update too; those of unknown versions end FAILED
  resumes: (input) => ({ count: z.object({ blocks: z.int() }).parse(input).blocks / EVERY }),
  async execute(context, { count }) {
    // runs again from the beginning after a crash: the step that was made gives what it gave then
    const credited = await context.tool(credit, { count }, { step: 'credit' })
    if (!credited.ok) return failedResult(credited.failure)
    const params = { count, total: credited.value.tokens }
    return { status: 'succeeded', message: { key: 'digging.rewarded', params }, cards: [] }
  },
}

/** 4. What authorizes the tasks: asked at the submission and before each run. */
const RULE = identifier('digging:rewards')

const ENGLISH = {
  'digging.hint': 'Every {every} blocks that you dig earn a token.',
  'digging.help': 'Rewards for digging',
  'digging.rewarded': 'Tokens for your digging: {count}. You have {total}.',
}
const CHINESE = {
  'digging.hint': '每挖 {every} 个方块可获得一枚代币。',
  'digging.help': '挖掘奖励',
  'digging.rewarded': '挖掘获得代币：{count}。你共有 {total} 个。',
}

interface Player extends EventEmitter {
  readonly uuid?: string
}

/** flying-squid calls this when it loads the plugin; 'system:register' comes once, when all plugins are loaded. */
export function server(serv: EventEmitter & { readonly system?: SystemHandle }): void {
  let isOn = true
  // a task that waits while its rule is withdrawn ends FAILED and never runs
  serv.on('digging:rewards', (on: boolean) => (isOn = on))
  const isAuthorized: EventRule = () => isOn

  serv.on('system:register', (registration: Registration) => {
    registration.texts('en_us', ENGLISH)
    registration.texts('zh_cn', CHINESE)
    registration.storage(TOKENS)
    registration.tool({
      type: credit,
      owner: identifier('digging:plugin'),
      handler: ({ count }, { commit }) =>
        commit((tx) => {
          const after = { tokens: tx.get(TOKENS).tokens + count }
          tx.set(TOKENS, after)
          return after
        }),
    })
    registration.module(rewarded)
    registration.eventRule(RULE, isAuthorized)
  })

  /** 5. The submission: the task is on disk when it resolves with the task's id; a refusal kept nothing. */
  const submit = async (player: Player): Promise<void> => {
    const submitted = await serv.system?.submitEvent({
      player: playerId(player.uuid ?? ''),
      module: rewarded.id,
      input: { count: 1 },
      rule: RULE,
    })
    if (submitted?.ok === false) console.warn(`no reward for digging: ${submitted.failure.code}`)
  }

  /** 6. A notice: shown in its turn, without a task, to a player who is here. */
  const hint = (player: Player): void => {
    const told = serv.system?.notify(playerId(player.uuid ?? ''), {
      id: identifier('digging:hint'), // of those that wait only the newest is shown
      priority: 'low',
      message: { key: 'digging.hint', params: { every: EVERY } },
      toast: { title: { key: 'digging.help' }, icon: identifier('minecraft:iron_pickaxe') },
      sound: identifier('minecraft:block.note_block.bell'),
    })
    if (told?.ok === false) console.warn(`no hint: ${told.failure.code}`)
  }
  serv.on('newPlayer', (player: Player) => {
    let blocks = 0
    player.on('dug', () => {
      blocks += 1
      if (blocks === 1) hint(player)
      if (blocks % EVERY === 0) void submit(player)
    })
  })
}
