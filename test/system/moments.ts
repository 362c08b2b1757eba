/** The moments of a request at which its life may end, each with parts that hold the request there. */
import { z } from 'zod'
import { FAST_POLICY, shown, type Registration, type ToolType } from '../../lib/agent/index.js'
import { identifier } from '../../lib/core/ids.js'
import { faults } from '../../lib/testing/index.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { ANSWER, good } from './fault-cases.js'

const WORKERS = new URL('../fixtures/system-workers/', import.meta.url)

/** Something that waits until it is opened, and tells when somebody has come. */
export interface Gate {
  readonly reached: Promise<void>
  open(): void
}

interface Parts {
  /** What a handler or a workflow waits for; replaced for each moment. */
  gate: Gate & { pass(): Promise<void> }
  /** How often the tool that touches the game has run. */
  touched: number
  /** Called as the last thing that a workflow does before its result. */
  last: () => void
}

export interface Stage extends LiveSystem {
  readonly alice: Seat
  readonly bob: Seat
  readonly parts: Parts
}

/** A request of alice's that is held at its moment. */
export interface Held {
  /** Lets everything go on that holds it. */
  letGo(): void
  /** Puts the stage in order again; only while the server runs. */
  readonly tidy?: () => Promise<void>
  /** Asked after its end: what must have come true beside what holds at every moment. */
  readonly also?: () => Promise<readonly (readonly [fact: string, isSo: boolean])[]>
}

export interface Moment {
  readonly name: string
  arrange(stage: Stage): Promise<Held>
}

function gate(): Parts['gate'] {
  let open = (): void => {}
  let reach = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const pass = (): Promise<void> => {
    reach()
    return opened
  }
  return { reached, open: () => open(), pass }
}

const toolType = (id: string, kind: 'game' | 'async'): ToolType<object, { done: boolean }> => ({
  id,
  kind,
  input: z.strictObject({}),
  output: z.strictObject({ done: z.boolean() }),
  write: false,
  reasoning: 'For tests.',
})

const register =
  (parts: Parts) =>
  (registration: Registration): void => {
    const owner = identifier('test:parts')
    registration.tool({
      type: toolType('test:wait', 'async'),
      owner,
      // the worst that an author can do: it doesn't listen to the signal
      handler: async () => {
        await parts.gate.pass()
        return { done: true }
      },
    })
    registration.tool({
      type: toolType('test:touch', 'game'),
      owner,
      handler: () => {
        parts.touched += 1
        return { done: true }
      },
    })
    registration.module({
      id: identifier('test:gate'),
      version: 1,
      action: z.strictObject({}),
      description: 'For tests.',
      help: { key: 'system.command.help.me' },
      tools: [],
      policy: FAST_POLICY,
      routing: { selection: 'NORMAL', command: { name: 'gate' }, fromCommand: () => ({}) },
      async execute() {
        await parts.gate.pass()
        parts.last()
        return shown({ type: identifier('system:answer'), data: { text: 'too late', sources: [] } })
      },
    })
  }

/** A server with two players, two places in the lane and one model call at a time. */
export async function openStage(t: { teardown(fn: () => unknown): void }): Promise<Stage> {
  const parts: Parts = { gate: gate(), touched: 0, last() {} }
  const lanes = { interactive: { active: 2, waiting: 0 } }
  const live = await openLive(t, {
    workersUrl: WORKERS,
    register: register(parts),
    config: { 'system-agent': { lanes, modelConcurrency: 1 } },
  })
  return { ...live, parts, alice: await live.join('alice'), bob: await live.join('bob') }
}

const routing: Moment = {
  name: 'before routing',
  async arrange({ runtime, alice }) {
    const { compute } = runtime.groups
    const before = compute.state().running
    alice.say('/system ponder')
    await eventually(() => compute.state().running > before)
    return { letGo() {} }
  },
}

const modelCall: Moment = {
  name: 'in the model call',
  async arrange({ provider, alice }) {
    const number = provider.requests.length + 1
    provider.script(faults.slowHeaders(ANSWER))
    alice.say('/system ask how deep?')
    const request = await provider.request(number)
    await request.held
    return {
      letGo: () => provider.release(),
      async also() {
        await request.over
        return [['the connection is closed', request.aborted]]
      },
    }
  },
}

const asyncTool: Moment = {
  name: 'in a tool that waits',
  async arrange({ provider, parts, alice }) {
    parts.gate = gate()
    provider.script(good({ type: 'test:wait', input: {} }))
    alice.say('/system reason how deep?')
    await parts.gate.reached
    return { letGo: () => parts.gate.open() }
  },
}

const gameTool: Moment = {
  name: 'in a tool that waits for a tick',
  async arrange({ serv, provider, parts, runtime, alice, bob }) {
    const { tickQueue } = runtime
    serv.stopTickInterval()
    const player = bob.id
    const filler: Promise<unknown>[] = []
    while (tickQueue.state().waiting === 0)
      filler.push(tickQueue.schedule({ player, label: 'filler', run: () => {} }))
    provider.script(good({ type: 'test:touch', input: {} }))
    const touched = parts.touched
    alice.say('/system reason how deep?')
    await eventually(() => tickQueue.state().waiting > 1)
    return {
      letGo: () => void serv.emit('tick', 0.05, 1),
      async tidy() {
        await Promise.all(filler)
        serv.setTickInterval(20)
      },
      also: async () => [['the game was not touched', parts.touched === touched]],
    }
  },
}

const betweenRounds: Moment = {
  name: 'between rounds',
  async arrange({ provider, parts, runtime, alice, bob }) {
    parts.gate = gate()
    provider.script(good({ type: 'test:wait', input: {} }), faults.slowHeaders(ANSWER))
    alice.say('/system reason how deep?')
    await parts.gate.reached
    // bob has the one place among the model calls, so that the second round has to wait for it
    const number = provider.requests.length + 1
    bob.say('/system ask how deep?')
    await (
      await provider.request(number)
    ).held
    parts.gate.open()
    await eventually(() => runtime.meter.state().waiting === 1)
    return {
      letGo: () => provider.release(),
      tidy: async () => void (await bob.reader.nextText()),
      also: async () => [['it waits no more', runtime.meter.state().waiting === 0]],
    }
  },
}

const delivery: Moment = {
  name: 'at delivery',
  async arrange({ parts, alice }) {
    parts.gate = gate()
    alice.say('/system gate')
    await parts.gate.reached
    return { letGo: () => parts.gate.open() }
  },
}

export const MOMENTS: readonly Moment[] = [routing, modelCall, asyncTool, gameTool, betweenRounds, delivery]

/** A new gate for a request of `/system gate`. */
export function newGate(stage: Stage): Gate {
  stage.parts.gate = gate()
  return stage.parts.gate
}
