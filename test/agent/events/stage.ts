/** A kernel with one module for events and one for players, which both write steps, and records that outlive it. */
import { z } from 'zod'
import { EVENT_POLICY, FAST_POLICY, type EventRule, type ExecutionContext } from '../../../lib/agent/index.js'
import type { AgentModule, AgentResult, ExecutionPolicy, Tool, ToolType } from '../../../lib/agent/index.js'
import type { RegisteredModule } from '../../../lib/agent/module.js'
import { identifier, type PlayerId } from '../../../lib/core/ids.js'
import { EVENT_TASKS, STEP_RECEIPTS, type EventTask } from '../../../lib/storage/index.js'
import { DONE, SYSTEM, somePlayer, TestKernel, turn, type KernelSetup } from '../../support/kernel.js'
import { Disk } from '../../support/mortal-driver.js'
import { valueOf } from '../../support/player-store.js'
import { COUNT, countUp } from '../../support/stored-things.js'

export const EVENT = identifier('test:event')
export const ASKED = identifier('test:asked')
export const RULE = identifier('test:rule')

const input = z.strictObject({ by: z.int() })
const output = z.strictObject({ n: z.int() })

/** Counts up by that much and gives the new count; what is to happen around the commit is the test's. */
export const count: ToolType<{ by: number }, { n: number }> = {
  id: 'test:count',
  input,
  output,
  kind: 'async',
  write: true,
  events: true,
}

export interface StageSetup extends KernelSetup {
  readonly disk?: Disk
  readonly player?: PlayerId
  readonly execute?: (context: ExecutionContext, action: { readonly note: string }) => Promise<AgentResult>
  readonly handler?: Tool<{ by: number }, { n: number }>['handler']
  readonly policy?: Partial<ExecutionPolicy>
  readonly module?: Partial<AgentModule<{ note: string }>>
  readonly rule?: EventRule
}

const action = z.strictObject({ note: z.string() })

/** One process of a server. */
export class Stage {
  readonly disk: Disk
  readonly player: PlayerId
  readonly k: TestKernel
  /** How often the handler of the tool was called. */
  handled = 0

  constructor(setup: StageSetup = {}) {
    this.disk = setup.disk ?? new Disk()
    this.player = setup.player ?? somePlayer()
    const work = setup.execute ?? (async () => DONE)
    const handler: Tool<{ by: number }, { n: number }>['handler'] = (given, call) => {
      this.handled++
      return (setup.handler ?? countBy)(given, call)
    }
    const module = (id: AgentModule['id'], policy: ExecutionPolicy): AgentModule<{ note: string }> => ({
      id,
      version: 1,
      action,
      description: `does ${id}`,
      help: { key: 'system.command.help.ask' },
      tools: [count.id, ...(setup.tools ?? []).map(({ type }) => type.id)],
      routing: { selection: 'STRUCTURED_ONLY' },
      ...setup.module,
      policy: { ...policy, ...setup.policy },
      execute: (context, given) => work(context, given),
    })
    const tool: Tool<{ by: number }, { n: number }> = {
      type: count,
      owner: identifier('test:owner'),
      handler,
    }
    this.k = new TestKernel({
      rules: setup.rule === undefined ? { [RULE]: () => true } : { [RULE]: setup.rule },
      types: [COUNT],
      driver: this.disk.open(),
      ...setup,
      tools: [tool as unknown as Tool, ...(setup.tools ?? [])],
      modules: [module(EVENT, EVENT_POLICY), module(ASKED, { ...FAST_POLICY, writeSteps: 4 })],
    })
  }

  /** The module for events, as it is registered. */
  get module(): RegisteredModule {
    const module = this.k.registry.findModule(EVENT)
    if (module === undefined) throw new Error('no module')
    return module
  }

  /** Comes to the server, with a System from the first time on; event tasks of before go on. */
  async join(): Promise<void> {
    const { k, player } = this
    k.sessions.open(player, 'alice', 'en_us')
    valueOf(await k.store.attach(player))
    if (k.bindings.boundTo(player) === null) valueOf(await k.bindings.grant(player, SYSTEM, 'alice'))
    await k.engine.events.resume(player)
  }

  leave(): void {
    this.k.sessions.close(this.player)
    this.k.store.detach(this.player)
  }

  submit(note = 'x', over: { module?: AgentModule['id']; rule?: typeof RULE; input?: unknown } = {}) {
    const asked = { player: this.player, module: EVENT, input: { note }, rule: RULE, ...over }
    return this.k.engine.events.submit(asked)
  }

  ask(note = 'x') {
    return this.k.press(this.player, ASKED, { note })
  }

  async kept() {
    const view = valueOf(await this.k.store.read(this.player))
    const receipts = [...view.rows(STEP_RECEIPTS)]
    return {
      n: view.get(COUNT).n,
      tasks: view.rows(EVENT_TASKS),
      receipts: new Map(receipts.map(([key, receipt]) => [key.slice(key.indexOf('/') + 1), receipt])),
    }
  }

  async task(id: string): Promise<EventTask | undefined> {
    return (await this.kept()).tasks.get(id)
  }

  /** Waits, without moving time, until the task is in that state. */
  async until(id: string, state: EventTask['state']): Promise<EventTask> {
    for (let turns = 0; turns < 200; turns++) {
      const task = await this.task(id)
      if (task?.state === state) {
        await turn()
        return task
      }
      await turn()
    }
    throw new Error(
      `never ${state}: ${JSON.stringify(await this.task(id))}; ${this.k.logger.messages().join('; ')}`,
    )
  }
}

/** Makes its change with its receipt. */
export const countBy: Tool<{ by: number }, { n: number }>['handler'] = ({ by }, { commit }) =>
  commit((tx) => {
    let n = 0
    for (let times = 0; times < by; times++) n = countUp(tx)
    return { n }
  })

/** A promise and what resolves it. */
export function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}
