/** What is written about the code says what the code does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import {
  FAILURES,
  isAuthorization,
  isRecoverable,
  isRetryable,
  type FailureCode,
} from '../lib/core/failure.js'
import { CONFIG_NAMES, CONFIG_SCHEMAS, configJsonSchema } from '../lib/config/index.js'
import { fieldsOf } from '../lib/config/fields.js'
import { AI_LEVELS } from '../lib/core/ai-level.js'
import { CARD_SURFACES, OWN_CHOICES, OWN_SWITCHES } from '../lib/core/own-settings.js'
import { BUILT_IN_COMMANDS } from '../lib/command/index.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const codes = Object.keys(FAILURES) as FailureCode[]

void t.test('docs/ERRORS.md is the failure table', async (t) => {
  const texts = JSON.parse(read('datapacks/default/data/system/lang/en_us.json')) as Record<string, string>
  const rows = read('docs/ERRORS.md')
    .split('\n')
    .filter((line) => line.startsWith('| `system:'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
  const expected = codes.map((code) => {
    const properties = [
      ...(isRetryable(code) ? ['retryable'] : []),
      ...(isAuthorization(code) ? ['authorization'] : []),
      ...(isRecoverable(code) ? ['recoverable'] : []),
    ]
    return [
      `\`${code}\``,
      properties.join(', '),
      texts[`system.failure.${code.slice('system:'.length)}`] ?? '',
    ]
  })
  t.strictSame(rows, expected)
})

void t.test('docs/CONFIGURATION.md has every field with its default', async (t) => {
  const rows = read('docs/CONFIGURATION.md')
    .split('\n')
    .filter((line) => line.startsWith('| `system-'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
  const member = (value: unknown, key: string): unknown => (value as Record<string, unknown>)[key]
  const expected = CONFIG_NAMES.flatMap((name) =>
    fieldsOf(CONFIG_SCHEMAS[name]).map(({ path }) => {
      const value = path.reduce(member, CONFIG_SCHEMAS[name].parse({}))
      const schema = path.reduce(
        (above, key) => member(member(above, 'properties'), key),
        configJsonSchema(name) as unknown,
      )
      return [
        `\`${name}\``,
        `\`${path.join('.')}\``,
        `\`${JSON.stringify(value)}\``,
        member(schema, 'description'),
      ]
    }),
  )
  t.strictSame(rows, expected)
})

void t.test('docs/ARCHITECTURE.md names every folder of lib and plugins', async (t) => {
  const map = read('docs/ARCHITECTURE.md')
  for (const top of ['lib', 'plugins']) {
    for (const entry of readdirSync(join(root, top), { withFileTypes: true })) {
      if (entry.isDirectory()) t.ok(map.includes(`\`${top}/${entry.name}\``), `${top}/${entry.name}`)
    }
  }
})

void t.test('docs/DECISIONS.md says why of every dependency', async (t) => {
  const decisions = read('docs/DECISIONS.md')
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
  for (const kind of ['dependencies', 'peerDependencies', 'devDependencies']) {
    for (const name of Object.keys(manifest[kind] ?? {})) {
      if (name.startsWith('@types/')) continue
      t.ok(decisions.includes(name.replace('oxlint-tsgolint', 'oxlint')), name)
    }
  }
})

void t.test('documents link to files that exist', async (t) => {
  for (const name of readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md')))
    for (const [, target] of read(`docs/${name}`).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g))
      t.ok(existsSync(join(root, 'docs', target ?? '')), `${name}: ${target}`)
})

void t.test('the README has its two commands, and links that exist', async (t) => {
  const readme = read('README.md')
  t.match(readme, 'npm ci && npm start')
  t.match(readme, 'npm ci && npm test')
  for (const [, target] of readme.matchAll(/\]\(([^)#:]+)\)/g)) {
    t.doesNotThrow(() => readdirSync(join(root, target ?? '', '..')))
    const name = (target ?? '').split('/').findLast((part) => part !== '') ?? ''
    t.ok(readdirSync(join(root, target ?? '', '..')).includes(name), `${target} exists`)
  }
})

void t.test(
  'docs/PLAYERS.md has every command, setting and level, and the words that players see',
  async (t) => {
    const text = read('docs/PLAYERS.md')
    const sentences = JSON.parse(read('datapacks/default/data/system/lang/en_us.json')) as Record<
      string,
      string
    >
    const values = Object.values(sentences)
    const modules = ['ask', 'reason', 'item', 'recipe', 'me']
    const admins = ['grant', 'revoke', 'reset', 'module', 'ai', 'reload', 'save', 'item-test', 'status']
    for (const name of [...BUILT_IN_COMMANDS, ...modules])
      if (!admins.includes(name)) t.ok(text.includes(`\`/system ${name}`), `/system ${name}`)
    for (const name of OWN_SWITCHES)
      t.ok(text.includes(`| \`/system settings ${name} on\\|off\``), `the setting ${name}`)
    for (const name of OWN_CHOICES)
      t.ok(text.includes(`| \`/system settings ${name} <`), `the setting ${name}`)
    for (const surface of CARD_SURFACES)
      t.ok(text.includes(`(\`${surface}\`)`) || surface === 'chat', surface)
    for (const level of AI_LEVELS) {
      const row = text.split('\n').find((line) => line.includes(`| \`${level}\``)) ?? ''
      t.match(row.split('|')[1]?.trim(), sentences[`system.ai.level.${level}`], `the level ${level}`)
    }
    // “…” is what is shown or typed, _…_ a button or a page of the workbench
    for (const [, begin] of text.matchAll(/“([A-Z][^”]*?)(?:, …)?”/g))
      t.ok(
        values.some((value) => value.startsWith(begin ?? '')) || begin?.startsWith('Showed'),
        `says: ${begin}`,
      )
    for (const [, label] of text.matchAll(/_([A-Z‹][^_]*)_/g))
      t.ok(values.includes(label ?? ''), `the button ${label}`)
  },
)

void t.test('docs/TESTING.md names tests that exist, and some of each folder', async (t) => {
  const named = new Set(
    [...read('docs/TESTING.md').matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, path]) => path ?? ''),
  )
  for (const path of named) t.ok(existsSync(join(root, path)), path)
  const folders = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => dirname(join('test', path)))
  for (const folder of new Set(folders))
    t.ok(
      [...named].some((path) => dirname(path) === folder),
      `${folder} has a line`,
    )
})
