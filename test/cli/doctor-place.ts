/** A folder with a configuration that names a simulated provider, and a run of the doctor in it. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import {
  createProviderSimulator,
  faults,
  replies,
  type ProviderSimulator,
  type ProviderStep,
  type RecordedRequest,
  type SimulatedReply,
} from '../../lib/testing/index.js'
import { temporaryFolder } from '../support/system.js'
import { doctorCommand } from '../../plugins/cli/doctor/command.js'
import { cli, type Outcome } from './world.js'

export const KEY = 'sk-a-key-of-this-test'
export const OK = { type: 'answer', text: 'ok' }

/** What a good provider says to each of the doctor's questions. */
export function goodReply({ body }: RecordedRequest): SimulatedReply {
  const [system, user] = body.messages.map(({ content }) => content)
  const limit = Number(body['max_tokens'] ?? body['max_completion_tokens'])
  if (/secret word/.test(user ?? '')) return replies.text({ type: 'answer', text: 'heron' })
  if (!/counts from 1/.test(system ?? '')) return replies.text(OK)
  if (limit < 100) return faults.truncated('{"type":"answer","text":"1 2 3')
  return replies.text('1 2 3 '.repeat(400)).with({ pauseMs: 50 })
}

export interface Place {
  readonly folder: string
  readonly provider: ProviderSimulator
}

export async function open(
  t: Test,
  otherwise: ProviderStep = goodReply,
  config: Readonly<Record<string, unknown>> = {},
): Promise<Place> {
  const provider = await createProviderSimulator({ otherwise })
  t.teardown(() => provider.close())
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'config', 'system'), { recursive: true })
  await writeFile(join(folder, '.env'), `DOCTOR_KEY=${KEY}\n`)
  const content = { provider: 'deepseek', baseUrl: provider.url, apiKeyEnv: 'DOCTOR_KEY', ...config }
  await writeFile(join(folder, 'config', 'system', 'system-model.json'), JSON.stringify(content))
  return { folder, provider }
}

/** The command in this process, which spares the second that a process takes to start. */
async function inProcess({ folder }: Place, args: readonly string[]): Promise<Outcome> {
  const said = { log: [] as string[], error: [] as string[] }
  const real = { log: console.log, error: console.error }
  process.env['DOCTOR_KEY'] = KEY
  console.log = (line: unknown) => void said.log.push(String(line))
  console.error = (line: unknown) => void said.error.push(String(line))
  try {
    const status = await doctorCommand(['--config', join(folder, 'config', 'system'), ...args])
    return { status, stdout: said.log.join('\n'), stderr: said.error.join('\n') }
  } finally {
    Object.assign(console, real)
    delete process.env['DOCTOR_KEY']
  }
}

const asProcess = ({ folder }: Place, args: readonly string[]): Promise<Outcome> =>
  cli(folder, 'doctor', ...args)

/** Every line of a run, and how it ended. Nothing that it prints may hold the key or words of a reply. */
export const run = (t: Test, place: Place, ...args: string[]) => judged(t, place, asProcess(place, args))

/** The same without a process of its own. */
export const runHere = (t: Test, place: Place, ...args: string[]) => judged(t, place, inProcess(place, args))

async function judged(t: Test, { folder, provider }: Place, running: Promise<Outcome>) {
  const before = await readdir(folder, { recursive: true })
  const { status, stdout, stderr } = await running
  t.notMatch(stdout + stderr, KEY)
  t.notMatch(stdout + stderr, /heron|1 2 3|quick brown/)
  t.ok(provider.requests.length <= 8, `${provider.requests.length} requests`)
  t.strictSame(await readdir(folder, { recursive: true }), before, 'nothing was written')
  return { status, stderr, lines: stdout.trimEnd().split('\n') }
}

export const findings = (lines: readonly string[], status: string): string[] =>
  lines.filter((line) => line.startsWith(`${status} `)).map((line) => line.split(':')[0] ?? '')
