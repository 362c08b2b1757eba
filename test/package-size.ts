/** `npm run check:package`: what npm would publish is small and holds nothing but the product. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const ROOT = new URL('../../', import.meta.url)
/** Size of the tarball. */
const LIMIT_BYTES = 2_000_000
const JUNK =
  /\.map$|\.tsbuildinfo$|\.test\.|\.log$|^(?:test|bench|build|examples|lib|plugins|workers)\/|(?:^|\/)\.env/
/** Without them the package doesn't work. */
const NEEDED = [
  'package.json',
  'README.md',
  'LICENSE',
  'dist/plugins/index.js',
  'dist/plugins/index.d.ts',
  'dist/plugins/cli/main.js',
  'dist/lib/testing/index.js',
  'dist/workers/agent.js',
  'dist/workers/compute.js',
  'dist/workers/storage.js',
  'dist/schemas/system-model.json',
  'dist/schemas/packs/card.json',
  'dist/schemas/packs/system_module.json',
  'datapacks/default/data/system/lang/en_us.json',
  'prompts/react.txt',
]
const packSchema = z
  .array(z.object({ size: z.int(), files: z.array(z.object({ path: z.string() })) }))
  .length(1)

/** What is wrong with the list of files, one line each. */
function problems({ size, files }: z.infer<typeof packSchema>[number]): string[] {
  const paths = files.map(({ path }) => path)
  const isStale = (path: string): boolean =>
    /^dist\/.*\.js$/.test(path) &&
    !existsSync(new URL(path.replace(/^dist\//, '').replace(/js$/, 'ts'), ROOT))
  return [
    ...(size >= LIMIT_BYTES ? [`the tarball has ${size} bytes, the limit is ${LIMIT_BYTES}`] : []),
    ...paths.filter((path) => JUNK.test(path)).map((path) => `${path} must not be published`),
    ...paths.filter(isStale).map((path) => `${path} has no source any more: npm run clean && npm run build`),
    ...NEEDED.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`),
  ]
}

// without scripts: `npm run check` has built already, and a script's output would stand before the JSON
const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  cwd: fileURLToPath(ROOT),
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
})
const [pack] = packSchema.parse(JSON.parse(json))
const found = pack === undefined ? ['npm pack lists nothing'] : problems(pack)
for (const problem of found) console.error(`package: ${problem}`)
if (found.length > 0) process.exit(1)
console.log(`package: ${pack?.size} bytes, ${pack?.files.length} files`)
