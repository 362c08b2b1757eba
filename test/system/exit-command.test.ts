/** `flying-squid-system` as a host runs it: from its first line to its exit status. */
import { createServer } from 'node:net'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { CONFIG_NAMES } from '../../lib/config/index.js'
import { createProviderSimulator, faults, type ProviderSimulator } from '../../lib/testing/index.js'
import { startChild, type Child } from '../support/child.js'
import { joinReader, temporaryFolder, type Reader } from '../support/system.js'
import { DEFAULT_VERSION } from '../support/versions.js'
import { ANSWER } from './fault-cases.js'

const MAIN = fileURLToPath(new URL('../../plugins/cli/main.js', import.meta.url))
const SHELL = fileURLToPath(new URL('../fixtures/npm-shell.js', import.meta.url))
const CONFIG = 'settings'
/** Anything that a log line, colours included, calls an error. */
const TROUBLE = /ERROR|rror:|rejection|Exception/

interface Run {
  readonly child: Child
  readonly folder: string
  readonly port: number
}

/** Starts a server in a folder of its own, with that configuration, and waits until it says that it is ready. */
async function serve(
  t: Test,
  options: { hasInput?: boolean; model?: Readonly<Record<string, unknown>> } = {},
): Promise<Run> {
  const folder = await temporaryFolder(t)
  if (options.model !== undefined) {
    await mkdir(join(folder, CONFIG))
    await writeFile(join(folder, CONFIG, 'system-model.json'), JSON.stringify(options.model))
  }
  const child = startChild(t, MAIN, {
    args: ['--port', '0', '--config', CONFIG],
    cwd: folder,
    hasInput: options.hasInput ?? false,
  })
  const [, port] = await child.line(/^(?:> )*System ready on port (\d+)$/)
  return { child, folder, port: Number(port) }
}

const sit = (t: Test, port: number, name: string): Promise<Reader> =>
  joinReader(t, { port, version: DEFAULT_VERSION }, name)

async function asking(t: Test, provider: ProviderSimulator): Promise<Run> {
  const model = { version: 1, provider: 'generic', baseUrl: provider.url, model: 'sim', apiKeyEnv: '' }
  const run = await serve(t, { hasInput: true, model })
  const alice = await sit(t, run.port, 'alice')
  t.match(await alice.nextText(), /^The System is now with you/, 'a player gets the System on join')
  const number = provider.requests.length + 1
  provider.script(faults.slowHeaders(ANSWER))
  alice.client.say('/system ask how deep?')
  await provider.request(number)
  return run
}

/** Ends with status 0; a process that takes longer than 3 s is killed, which is another end. */
async function endsWell(t: Test, child: Child): Promise<void> {
  const timer = setTimeout(() => child.process.kill('SIGKILL'), 3_000)
  t.equal(await child.ended, 0)
  clearTimeout(timer)
  t.strictSame(
    child.lines.filter((line) => TROUBLE.test(line)),
    [],
    'nothing went wrong',
  )
}

void t.test('it ends with status 0, with a player on and a request running', async (t) => {
  const provider = await createProviderSimulator()
  t.teardown(() => provider.close())
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    await t.test(signal, async (t) => {
      const { child } = await asking(t, provider)
      child.process.kill(signal)
      await endsWell(t, child)
    })
  for (const line of ['/stop', 'stop'])
    await t.test(line, async (t) => {
      const { child } = await asking(t, provider)
      child.type(line)
      await endsWell(t, child)
    })
})

void t.test('it ends with the shell that npm started it by', async (t) => {
  const shell = startChild(t, SHELL, {
    args: [MAIN, '--port', '0'],
    cwd: await temporaryFolder(t),
    env: { npm_lifecycle_event: 'start' },
  })
  const [, pid] = await shell.line(/^child (\d+)$/)
  await shell.line(/System ready on port/)
  const timer = setTimeout(() => process.kill(Number(pid), 'SIGKILL'), 10_000)
  shell.process.kill('SIGTERM')
  // the output is open as long as the server runs
  await shell.ended
  clearTimeout(timer)
  t.match(shell.lines.at(-1), /Server is closed/, 'by itself')
})

void t.test('a signal while it starts', async (t) => {
  const child = startChild(t, MAIN, { args: ['--port', '0'], cwd: await temporaryFolder(t) })
  await child.line(/Server listening on port/)
  child.process.kill('SIGTERM')
  t.equal(await child.ended, 0)
})

void t.test('a console, and an end without players', async (t) => {
  const { child } = await serve(t, { hasInput: true })
  const lines: readonly (readonly [string, RegExp])[] = [
    ['system status', /^(?:> )*state: ready/],
    ['/system status --json', /^(?:> )*\{"state":"ready"/],
    ['system help', /^(?:> )*\/?system status/],
    ['SYSTEM   Status nobody', /No player called nobody is online/],
    ['system grant', /please write it like this/],
    ['system grant system:nothing nobody', /No player called nobody is online/],
    ['system revoke nobody', /No player called nobody is online/],
    ['system ask how deep?', /Only a player in the game can do that/],
    ['system me', /Only a player in the game can do that/],
    ['system how deep?', /Only a player|I don't know the command/],
    [`system ${'x'.repeat(5_000)}`, /Only a player|I don't know the command|too long/],
    ['nonsense', /Command not found/],
  ]
  for (const [line, pattern] of lines) {
    const before = child.lines.length
    child.type(line)
    t.ok(await child.line(pattern, before), line.slice(0, 50))
  }
  child.type('')
  child.type('/stop')
  t.equal(await child.ended, 0)
})

void t.test('a closed standard input ends nothing; files and world are in place', async (t) => {
  const { child, folder, port } = await serve(t)
  const alice = await sit(t, port, 'alice')
  t.match(await alice.nextText(), /^The System is now with you/)
  t.match(await alice.askText('/system me'), /Health/)
  t.equal(child.process.exitCode, null)
  t.strictSame((await readdir(folder)).sort(), [CONFIG, 'world'])
  child.process.kill('SIGTERM')
  await endsWell(t, child)
})

void t.test('wrong words', async (t) => {
  const cwd = await temporaryFolder(t)
  const cases: readonly (readonly [words: readonly string[], status: number, line: RegExp])[] = [
    [['frobnicate'], 2, /unknown command: frobnicate/],
    [['--port', 'many'], 2, /--port must be 0 to 65535, not many/],
    [['--port', '70000'], 2, /--port must be 0 to 65535/],
    [['--frob'], 2, /--frob/],
    [['serve', 'twice'], 2, /twice/],
    [['--version', '0.1', '--port', '0'], 1, /0\.1/],
    [['--help'], 0, /flying-squid-system \[serve\]/],
    [['serve', '--help'], 0, /flying-squid-system \[serve\]/],
  ]
  for (const [words, status, line] of cases) {
    const child = startChild(t, MAIN, { args: words, cwd })
    t.equal(await child.ended, status, words.join(' '))
    t.match(child.lines.join('\n'), line)
    t.notMatch(child.lines.join('\n'), /\n\s+at /, 'no stack')
  }
})

void t.test('an occupied port', async (t) => {
  const other = createServer().listen(0)
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const child = startChild(t, MAIN, { args: ['--port', String(port)], cwd: await temporaryFolder(t) })
  t.equal(await child.ended, 1)
  t.equal(child.lines.filter((line) => /the server did not start: .*EADDRINUSE/.test(line)).length, 1)
})

void t.test('killed while it writes its first files: none is broken', async (t) => {
  for (let count = 1; count <= 4; count += 1) {
    const folder = await temporaryFolder(t)
    const config = join(folder, CONFIG)
    await mkdir(config)
    let seen = 0
    const child = startChild(t, MAIN, { args: ['--port', '0', '--config', CONFIG], cwd: folder })
    const watcher = watch(config, () => {
      // each file is at least made and renamed
      if ((seen += 1) >= count * 2 - 1) child.process.kill('SIGKILL')
    })
    t.equal(await child.ended, 'SIGKILL')
    watcher.close()
    const names = (await readdir(config)).filter((name) => name.endsWith('.json'))
    for (const name of names)
      t.type(JSON.parse(await readFile(join(config, name), 'utf8')), 'object', `${count}: ${name}`)
    if (count < 4) continue
    const again = startChild(t, MAIN, { args: ['--port', '0', '--config', CONFIG], cwd: folder })
    await again.line(/System ready on port/)
    t.equal(
      (await readdir(config)).filter((name) => name.endsWith('.json')).length,
      CONFIG_NAMES.length,
      'the next start mends it',
    )
    t.strictSame(
      again.lines.filter((line) => /ERROR|\.json/.test(line)),
      [],
    )
    again.process.kill('SIGTERM')
    t.equal(await again.ended, 0)
  }
})
