import { parseArgs } from 'node:util'
import { EXIT, UsageError } from '../tool.js'
import { examine } from './examine.js'
import { hostOf, readEndpoint } from './endpoint.js'
import { Findings, type Finding } from './findings.js'
import { MOST_REQUESTS, Prober } from './prober.js'

export const DOCTOR_HELP = `flying-squid-system doctor [options]

Asks the configured model a few times and says what works and what doesn't, one line each: ok, warn (it works, with a
drawback) or fail. At most ${MOST_REQUESTS} requests, about 10,000 tokens in all, which your provider may charge. Prints no key and no
text of a reply, changes nothing, needs no server. Exit status: 0 nothing fails, 1 something does, 2 wrong usage. What each
line means: docs/TOOLS.md.

  --config <dir>   configuration folder (config/system)
  --timeout <s>    longest wait for one reply, in seconds (30)
  --json           one JSON document on standard output
  --help           this text`

/** Longest wait that can be asked for, seconds. */
const LONGEST_S = 600

/** Runs the command; resolves with its exit status. Throws a `UsageError`. */
export async function doctorCommand(words: readonly string[]): Promise<number> {
  const { config, timeoutMs, json, help } = parse(words)
  if (help) {
    console.log(DOCTOR_HELP)
    return EXIT.fine
  }
  const findings = new Findings(json ? () => {} : say)
  const endpoint = await readEndpoint(config, findings)
  let requests = 0
  if (endpoint !== null) {
    const notice = `asks ${hostOf(endpoint)} up to ${MOST_REQUESTS} times, about 10,000 tokens in all, which may cost money`
    if (json) console.error(notice)
    else console.log(notice)
    const prober = new Prober(endpoint, timeoutMs)
    // timers of the gateway keep no process alive
    const awake = setInterval(() => {}, 1_000)
    await examine(endpoint, prober, findings)
    clearInterval(awake)
    requests = prober.requests
  }
  if (json) console.log(JSON.stringify({ ...nameOf(endpoint), requests, findings: findings.all }))
  else console.log(`${requests} requests: ${countsOf(findings)}`)
  return findings.isSound ? EXIT.fine : EXIT.finding
}

const nameOf = (endpoint: Awaited<ReturnType<typeof readEndpoint>>): object =>
  endpoint === null
    ? { provider: null, model: null, host: null }
    : { provider: endpoint.provider, model: endpoint.model, host: hostOf(endpoint) }

function say({ status, what, text }: Finding): void {
  console.log(`${status} ${what}: ${text}`)
}

const countsOf = ({ all }: Findings): string =>
  (['ok', 'warn', 'fail'] as const)
    .map((status) => `${all.filter((finding) => finding.status === status).length} ${status}`)
    .join(', ')

function parse(words: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...words],
      allowPositionals: false,
      options: {
        config: { type: 'string', default: 'config/system' },
        timeout: { type: 'string', default: '30' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    const seconds = /^\d{1,3}$/.test(values.timeout) ? Number(values.timeout) : 0
    if (seconds < 1 || seconds > LONGEST_S)
      throw new Error(`--timeout must be 1 to ${LONGEST_S}, not ${values.timeout}`)
    return { ...values, timeoutMs: seconds * 1_000 }
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : 'wrong arguments')
  }
}
