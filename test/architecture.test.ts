/** The dependency rules of the repository, checked on the real import graph. docs/ARCHITECTURE.md shows the map. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

const below = ['core', 'codec', 'text', 'host', 'command']
const platform = [
  ...below,
  'packs',
  'registry',
  'storage',
  'config',
  'pool',
  'lexical',
  'cards',
  'conditions',
  'preferences',
  'systems',
  'inventory',
  'costs',
  'rewards',
]

/** Who may import whom under lib/: itself, `core`, and the folders named here. A missing folder fails the test. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  codec: [],
  text: [],
  host: ['text'],
  command: ['text'],
  packs: ['codec', 'pool', 'text', 'lexical'],
  registry: ['codec', 'text', 'lexical', 'packs'],
  conditions: ['codec', 'host'],
  preferences: ['storage'],
  systems: ['codec', 'conditions', 'registry', 'storage'],
  storage: ['codec', 'pool'],
  config: ['codec', 'storage'],
  pool: ['codec'],
  inventory: [],
  costs: ['codec', 'inventory', 'registry'],
  rewards: ['codec', 'inventory', 'registry'],
  commerce: [...platform, 'agent'],
  shop: [...platform, 'agent', 'commerce'],
  signin: [...platform, 'agent', 'commerce'],
  lottery: [...platform, 'agent', 'commerce'],
  inbox: [...platform, 'agent', 'commerce'],
  lexical: [],
  names: [],
  cards: ['codec', 'text', 'registry'],
  notifications: ['codec', 'text', 'cards'],
  channels: ['codec', 'usage'],
  agent: platform,
  binding: [...platform, 'agent'],
  questions: [...platform, 'agent'],
  items: [...platform, 'agent'],
  player: [...platform, 'agent'],
  help: [...platform, 'agent'],
  settings: [...platform, 'agent'],
  workbench: [...platform, 'agent'],
  'free-chat': [...platform, 'agent', 'questions'],
  usage: [...platform, 'agent'],
  conversation: [...platform, 'agent'],
  testing: [...platform, 'agent'],
}

/** The only places that may name each kind of outside module. */
const MAY_TOUCH: readonly { what: string; module: RegExp; where: RegExp }[] = [
  {
    what: 'files',
    module: /^node:(fs|zlib)(\/|$)/,
    // the shield bounds what minecraft-protocol unpacks, at the place and in the way it does
    where:
      /^(lib\/storage\/drivers|lib\/config|lib\/packs|lib\/registry|lib\/names\/language-files|plugins\/cli|plugins\/squid\/shield\/frame-guard\.ts)/,
  },
  { what: 'zip files', module: /^yauzl$/, where: /^lib\/packs\// },
  { what: 'threads', module: /^(piscina$|node:worker_threads)/, where: /^(lib\/pool|workers)\// },
  {
    what: 'the network',
    module: /^(openai|node:(net|http|https|tls|dns))(\/|$)/,
    where: /^lib\/(agent\/models|testing)\//,
  },
  { what: 'game data', module: /^minecraft-data/, where: /^(lib\/items|plugins)\// },
  {
    what: 'the game server',
    module: /^(flying-squid|minecraft-protocol|prismarine-|mineflayer)/,
    where: /^plugins\//,
  },
  {
    what: 'built-ins without their prefix',
    module: /^(fs|path|zlib|os|http|crypto|events|util)(\/|$)/,
    where: /^$/,
  },
]

/** The only places that may use what differs between runs: time, chance, environment, console. */
const MAY_USE: readonly { what: string; text: RegExp; where: RegExp }[] = [
  {
    what: 'the clock',
    text: /\b(Date\.now|performance\.now)\s*\(|\bnew Date\(\)/,
    where: /^(lib\/core|plugins)\//,
  },
  { what: 'chance', text: /\bMath\.random\b/, where: /^lib\/core\// },
  { what: 'timers', text: /\b(setTimeout|setInterval|setImmediate)\s*\(/, where: /^(lib\/core|plugins)\// },
  { what: 'the environment', text: /\bprocess\.env\b/, where: /^plugins\// },
]

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const posix = (path: string): string => path.split(sep).join('/')
const files = ['lib', 'plugins', 'workers'].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix(join(top, name))),
)
const source = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

interface Edge {
  readonly from: string
  /** A file of the repository, or an outside module. */
  readonly to: string
}

/** Every import, those of types too. */
const edges: readonly Edge[] = [...source].flatMap(([from, text]) =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => ({
    from,
    to: fileName.startsWith('.')
      ? posix(relative(root, resolve(root, dirname(from), fileName))).replace(/\.js$/, '.ts')
      : fileName,
  })),
)
const folder = (file: string): string | undefined => /^lib\/([^/]+)\//.exec(file)?.[1]
const show = (bad: readonly Edge[]): string[] => bad.map(({ from, to }) => `${from} -> ${to}`)
const isLocal = (file: string): boolean => /^(lib|plugins|workers)\//.test(file)

void t.test('the graph was read', async (t) => {
  t.ok(files.length > 50)
  t.ok(edges.length > files.length)
  t.strictSame(
    show(edges.filter(({ to }) => isLocal(to) && !source.has(to))),
    [],
    'every import was resolved',
  )
})

void t.test('lib folders import downwards, through index files', async (t) => {
  const bad = edges.filter(({ from, to }) => {
    const [a, b] = [folder(from), folder(to)]
    if (a === undefined || !isLocal(to) || a === b) return false
    if (b === undefined) return true
    if (b === 'core') return false
    return !MAY_IMPORT[a]?.includes(b) || !/^lib\/[^/]+\/(?:[a-z-]+\/)?index\.ts$/.test(to)
  })
  t.strictSame(show(bad), [])
})

void t.test('every lib folder is in the table', async (t) => {
  const folders = new Set(files.map(folder).filter((name) => name !== undefined))
  t.strictSame([...folders].sort(), Object.keys(MAY_IMPORT).sort())
})

void t.test('plugins and workers enter lib through index files, and never each other', async (t) => {
  const bad = edges.filter(({ from, to }) => {
    if (folder(from) !== undefined || from === 'lib/index.ts') return false
    if (!to.startsWith('lib/')) return isLocal(to) && from.split('/')[0] !== to.split('/')[0]
    return !to.startsWith('lib/core/') && !/^lib\/(?:[a-z-]+\/){0,2}index\.ts$/.test(to)
  })
  t.strictSame(show(bad), [])
})

void t.test('workers import only lib', async (t) => {
  const bad = edges.filter(({ from, to }) => from.startsWith('workers/') && to.startsWith('plugins/'))
  t.strictSame(show(bad), [])
})

for (const { what, module, where } of MAY_TOUCH) {
  void t.test(`only some places touch ${what}`, async (t) => {
    const bad = edges.filter(({ from, to }) => !isLocal(to) && module.test(to) && !where.test(from))
    t.strictSame(show(bad), [])
  })
}

for (const { what, text, where } of MAY_USE) {
  void t.test(`only some places use ${what}`, async (t) => {
    const bad = [...source].filter(([file, code]) => !where.test(file) && text.test(withoutComments(code)))
    t.strictSame(
      bad.map(([file]) => file),
      [],
    )
  })
}

void t.test('index files alone re-export', async (t) => {
  const bad = [...source].filter(
    ([file, code]) => !file.endsWith('/index.ts') && /^export (?:type )?(?:\*|\{[^}]*\}) from /m.test(code),
  )
  t.strictSame(
    bad.map(([file]) => file),
    [],
  )
})

void t.test('no default exports outside of workers', async (t) => {
  const bad = files.filter(
    (file) => !file.startsWith('workers/') && /^export default /m.test(source.get(file) ?? ''),
  )
  t.strictSame(bad, [])
})

void t.test('no import cycles', async (t) => {
  const done = new Set<string>()
  const path: string[] = []
  const cycles: string[] = []
  const next = groupEdges()
  const visit = (file: string): void => {
    const at = path.indexOf(file)
    if (at >= 0) {
      cycles.push([...path.slice(at), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    path.push(file)
    for (const to of next.get(file) ?? []) visit(to)
    path.pop()
    done.add(file)
  }
  for (const file of files) visit(file)
  t.strictSame(cycles, [])
})

/** Imports that remain at run time: a cycle of types alone is none. */
function groupEdges(): Map<string, string[]> {
  const grouped = new Map<string, string[]>()
  for (const [from, code] of source) {
    const kept = ts.transpileModule(code, {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        verbatimModuleSyntax: true,
      },
    }).outputText
    const targets = ts
      .preProcessFile(kept, true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) =>
        posix(relative(root, resolve(root, dirname(from), fileName))).replace(/\.js$/, '.ts'),
      )
    grouped.set(from, targets)
  }
  return grouped
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}
