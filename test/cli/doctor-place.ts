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
import { cli } from './world.js'

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

/** Every line of a run, and how it ended. Nothing that it prints may hold the key or words of a reply. */
export async function run(t: Test, { folder, provider }: Place, ...args: string[]) {
  const before = await readdir(folder, { recursive: true })
  const { status, stdout, stderr } = await cli(folder, 'doctor', ...args)
  t.notMatch(stdout + stderr, KEY)
  t.notMatch(stdout + stderr, /heron|1 2 3|quick brown/)
  t.ok(provider.requests.length <= 8, `${provider.requests.length} requests`)
  t.strictSame(await readdir(folder, { recursive: true }), before, 'nothing was written')
  return { status, stderr, lines: stdout.trimEnd().split('\n') }
}

export const findings = (lines: readonly string[], status: string): string[] =>
  lines.filter((line) => line.startsWith(`${status} `)).map((line) => line.split(':')[0] ?? '')
