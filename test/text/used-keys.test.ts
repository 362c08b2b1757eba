/** The language files have the sentences that the code names, and no others. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { catalogue } from '../support/catalogues.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const source = ['lib', 'plugins']
  .flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((at) => join(top, at)),
  )
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')
/** What the shipped entries are called. */
const shipped = join(root, 'datapacks/default/data/system/system')
const definitions = readdirSync(shipped, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.json'))
  .map((path) => readFileSync(join(shipped, path), 'utf8'))
  .join('\n')
const keys = Object.keys(catalogue('en_us'))

const named = [...(source + definitions).matchAll(/['"`](system\.[a-z]+(?:\.[a-z_]+)+)['"`]/g)].map(
  ([, key]) => key ?? '',
)
/** Parts of a computed end: `about_` in `about_${word}`, `_hover` in `${word}_hover`. */
const before = ['', ...[...source.matchAll(/`([a-z_]+_)\$\{/g)].map(([, part]) => part ?? '')]
const behind = ['', ...[...source.matchAll(/\}(_[a-z_]+)`/g)].map(([, part]) => part ?? '')]
/** What stands before the computed end of a key: `system.player.` in `system.player.${label}`. */
const stems = [...source.matchAll(/`(system\.[a-z_.]*)\$\{/g)].map(([, stem]) => stem ?? '')

void t.test('each sentence that the code names is there', async (t) => {
  t.ok(named.length > 50)
  for (const key of new Set(named)) t.ok(keys.includes(key), key)
})

void t.test('each sentence is named, or ends in a word of the code', async (t) => {
  const words = new Set([...source.matchAll(/'([a-z_]+)'/g)].map(([, word]) => word ?? ''))
  const isWord = (end: string): boolean =>
    before.some((first) =>
      behind.some(
        (last) =>
          end.startsWith(first) &&
          end.endsWith(last) &&
          words.has(end.slice(first.length, end.length - last.length)),
      ),
    )
  const isComputed = (key: string): boolean =>
    stems.some((stem) => key.startsWith(stem) && isWord(key.slice(stem.length)))
  for (const key of keys) {
    // test/core/failure.test.ts and docs.test.ts compare these with the failure table
    if (!key.startsWith('system.failure.'))
      t.ok(source.includes(`'${key}'`) || named.includes(key) || isComputed(key), key)
  }
})

void t.test('each failure is made somewhere', async (t) => {
  for (const key of keys.filter((key) => key.startsWith('system.failure.'))) {
    const code = `'system:${key.slice('system.failure.'.length)}'`
    t.ok(source.split(code).length > 2, `${code} stands outside of the table`)
  }
})
