/** A server with a world, and with an extension that has a hook and a tool that writes after it has waited. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { z } from 'zod'
import { FAST_POLICY, shown, type Registration, type ToolType } from '../../lib/agent/index.js'
import { identifier, type PlayerId } from '../../lib/core/ids.js'
import type { StorageType } from '../../lib/storage/index.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { consoleSays, joinReader, temporaryFolder, type Reader } from '../support/system.js'

// flying-squid's offline uuid of alice
export const ALICE = '40f5db53-a47a-33ee-b1f6-db0e20deded4' as PlayerId

export const PURSE: StorageType<{ readonly gold: number }> = {
  id: identifier('test:purse'),
  version: 1,
  schema: z.strictObject({ gold: z.int() }),
  empty: { gold: 0 },
}

/** Something that waits until it is opened, and tells when somebody has come. */
export function gate() {
  let open = (): void => {}
  let reach = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (reach = resolve))
  return { reached, open: () => open(), pass: () => (reach(), opened) }
}

export interface Stage extends LiveSystem {
  readonly alice: Reader
  readonly folder: string
  readonly hook: { run: (player: PlayerId) => void | Promise<void> }
  readonly late: { readonly gate: ReturnType<typeof gate>; readonly ended: Promise<string> }
  /** How often a module of an extension was asked what it makes of a command. */
  readonly asked: { count: number }
  says(line: string): Promise<string>
  /** Files below the data folder that name alice. */
  files(): Promise<readonly string[]>
}

/** What an extension registers: a hook, and a tool that writes after it has waited. */
function extension() {
  const hook: Stage['hook'] = { run: () => {} }
  const asked = { count: 0 }
  const waiting = gate()
  let end: (code: string) => void = () => {}
  const ended = new Promise<string>((resolve) => (end = resolve))
  const live: { runtime?: LiveSystem['runtime'] } = {}
  const type: ToolType<object, object> = {
    id: 'test:late',
    kind: 'async',
    input: z.strictObject({}),
    output: z.strictObject({}),
    write: true,
  }
  const register = (registration: Registration): void => {
    registration.storage(PURSE)
    registration.onRevoked(identifier('test:throws'), () => {
      throw new Error('a mistake of an extension')
    })
    registration.onRevoked(identifier('test:hook'), (player) => hook.run(player))
    registration.tool({
      type,
      owner: identifier('test:owner'),
      handler: async (_, { player }) => {
        const view = await live.runtime?.store.read(player)
        if (view?.ok !== true) throw new Error('no record')
        await waiting.pass()
        const done = await view.value.update((tx) => tx.set(PURSE, { gold: 7 }))
        end(done.ok ? 'ok' : done.failure.code)
        return {}
      },
    })
    registration.module({
      id: identifier('test:module'),
      version: 1,
      action: z.strictObject({}),
      description: 'For tests.',
      help: { key: 'system.command.help.me' },
      tools: ['test:late'],
      policy: { ...FAST_POLICY, writeSteps: 1 },
      routing: {
        selection: 'NORMAL',
        command: { name: 'late' },
        fromCommand: () => (asked.count++, {}),
      },
      async execute(context) {
        await context.tool(type, {})
        return shown({ type: identifier('system:answer'), data: { text: 'too late', sources: [] } })
      },
    })
  }
  return { hook, asked, late: { gate: waiting, ended }, live, register }
}

export async function openStage(
  t: Test,
  { folder, autoGrant = null }: { folder?: string; autoGrant?: string | null } = {},
): Promise<Stage> {
  const at = folder ?? (await temporaryFolder(t))
  const { live: known, register, ...parts } = extension()
  const live = await openLive(t, {
    squid: { worldFolder: join(at, 'world') },
    settings: { autoGrant, configFolder: join(at, 'config') },
    register,
  })
  known.runtime = live.runtime
  const alice = await joinReader(t, live, 'alice')
  await eventually(() => live.runtime.sessions.get(ALICE) !== undefined)
  const says = async (line: string): Promise<string> => (await consoleSays(live, line)).join('\n')
  const files = async (): Promise<readonly string[]> => {
    const names = await readdir(join(at, 'world', 'system'), { recursive: true })
    return names.filter((name) => name.includes(ALICE)).sort()
  }
  return { ...live, ...parts, alice, folder: at, says, files }
}

export async function grant({ says, alice }: Stage): Promise<void> {
  await says('system grant system:default alice')
  await alice.next()
}

/** Types lines at the console at once; gives what was printed when each has been answered. */
export async function together(stage: Stage, lines: readonly string[]): Promise<readonly string[]> {
  const printed: string[] = []
  const real = console.log
  console.log = (text: unknown) => void printed.push(String(text))
  try {
    await Promise.all(lines.map((line) => stage.serv.handleCommand(line)))
    await eventually(() => printed.length === lines.length)
  } finally {
    console.log = real
  }
  return printed
}

export const clean = (t: Test, { stray, alice }: Stage): void =>
  void t.strictSame([stray, alice.client.clientErrors], [[], []])
