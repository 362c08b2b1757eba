/** The packed package, laid out as an installation would: required by CommonJS, loaded by flying-squid, typed. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { CONFIG_NAMES } from '../lib/config/index.js'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const NAME = 'flying-squid-system'
/** Without what the test runner puts into its children. */
const { NODE_OPTIONS: _, ...PLAIN_ENV } = process.env

/** A folder with the packed package and everything it needs in `node_modules`, without any network. */
async function install(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'system-package-'))
  // a project of its own, so that no package.json above is taken for it
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'a-server', type: 'module' }))
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: ROOT })
  const [packed] = z.array(z.object({ filename: z.string() })).parse(JSON.parse(stdout))
  const own = join(folder, 'node_modules', NAME)
  await mkdir(own, { recursive: true })
  await run('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', own, '--strip-components=1'])
  for (const name of await readdir(MODULES)) {
    if (name === 'flying-squid' || name === NAME || name.startsWith('.')) continue
    await symlink(join(MODULES, name), join(folder, 'node_modules', name))
  }
  // flying-squid looks its plugins up from its own real folder, so that must lie beside them
  const squid = join(folder, 'node_modules', 'flying-squid')
  await cp(join(MODULES, 'flying-squid'), squid, { recursive: true, dereference: true })
  return folder
}

const PROGRAM = `
const system = require('${NAME}')
const defaults = require('flying-squid/config/default-settings.json')
const squid = require('flying-squid')
const say = (key, value) => console.log(key + '=' + value)
say('exports', [typeof system.server, typeof system.player, typeof system.failure].join())
say('testing', typeof require('${NAME}/testing').createProviderSimulator)
const serv = squid.createMCServer({
  ...defaults, version: '1.21.4', port: 0, 'online-mode': false, logging: false, noConsoleOutput: true,
  worldFolder: undefined, generation: { name: 'superflat', options: { worldHeight: 80 } },
  plugins: { '${NAME}': { configFolder: 'config', autoGrant: 'system:default' } },
})
process.stdin.destroy()
serv.on('error', (error) => say('error', error.message))
serv.waitForReady(30_000).then(async () => {
  say('state', await serv.system.ready)
  serv.stopTickInterval()
  await serv.quit()
  await serv.system.closed
  say('closed', serv.system.state)
})
process.on('exit', (code) => say('exit', code))
`

/** A plugin author's project, as strict as it gets, with the libraries' own declarations checked too. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: ['node'],
  },
  include: ['*.ts'],
}

void t.test('the packed package', async (t) => {
  const folder = await install()
  t.teardown(() => rm(folder, { recursive: true, force: true }))

  await t.test('is required, loaded by name, becomes ready, and ends', async (t) => {
    await writeFile(join(folder, 'main.cjs'), PROGRAM)
    const { stdout } = await run(process.execPath, ['main.cjs'], {
      cwd: folder,
      timeout: 60_000,
      env: PLAIN_ENV,
    })
    // flying-squid's console writes its prompt between the lines
    for (const line of [
      'exports=function,function,function',
      'testing=function',
      'state=ready',
      'closed=stopped',
      'exit=0',
    ])
      t.match(stdout, line)
    t.notMatch(stdout, 'error=')
    const files = CONFIG_NAMES.map((name) => `${name}.json`).sort()
    t.strictSame(
      (await readdir(join(folder, 'config'))).sort(),
      ['data', ...files],
      'configuration was written, and the data of a server without a world',
    )
    for (const file of files) {
      const { $schema } = JSON.parse(await readFile(join(folder, 'config', file), 'utf8')) as {
        $schema: string
      }
      const title = /"title": "(.*)"/.exec(await readFile(join(folder, 'config', $schema), 'utf8'))?.[1]
      t.equal(title, file, 'and each names its schema in the package')
    }
  })

  await t.test('has the types that authors need', async (t) => {
    await cp(join(ROOT, 'examples'), folder, { recursive: true })
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    const compiler = join(MODULES, 'typescript', 'bin', 'tsc')
    const { stdout } = await run(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      timeout: 120_000,
    }).catch((error: { stdout: string }) => error)
    // what other packages declare wrongly is not ours
    const ours = stdout
      .split('\n')
      .filter((line) => /^(?:[\w-]+\.ts|node_modules\/flying-squid-system)/.test(line))
    t.strictSame(ours, [])
  })
})
