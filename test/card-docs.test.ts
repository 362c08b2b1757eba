/** docs/CARDS.md says what templates can do, and the one that it shows is in examples/cards. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import type { CardType, CardView } from '../lib/cards/index.js'
import { renderBook, renderChat, renderWindow } from '../lib/cards/render/index.js'
import { CARD_TEMPLATES, TEMPLATE_LIMITS } from '../lib/cards/templates/index.js'
import { componentText } from '../lib/text/index.js'
import { validatePacks } from '../plugins/cli/validate/validate.js'
import { addBuiltInCards } from '../plugins/squid/built-in-content.js'
import { shippedLanguages } from './support/catalogues.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SAMPLE = join(ROOT, 'examples', 'cards')
const DOC = readFileSync(join(ROOT, 'docs', 'CARDS.md'), 'utf8')

/** Rows of the first table below a heading, cell by cell. */
const rows = (heading: string): string[][] =>
  (DOC.split(`## ${heading}\n`)[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    ) ?? []
/** Names in backticks, with a `?` behind what may be left out. */
const names = (cell: string | undefined): string[] =>
  [...(cell ?? '').matchAll(/`(\w+)`(\??)/g)].map(([, name = '', mark = '']) => name + mark)

const objectSchema = z.object({
  properties: z.record(z.string(), z.object({ const: z.string().optional() })).default({}),
  required: z.array(z.string()).default([]),
})
/** Members of a schema in the same form. */
function membersOf(schema: unknown): string[] {
  const { properties, required } = objectSchema.parse(schema)
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`))
}

void t.test('the example in the text is the one in the repository, and nothing is wrong in it', async (t) => {
  const files = ['data/system/system/card/item.json', 'data/cards/lang/en_us.json']
  for (const file of files)
    t.ok(DOC.includes(`\`${file}\`\n\n\`\`\`json\n${readFileSync(join(SAMPLE, file), 'utf8')}\`\`\``), file)
  t.match(await validatePacks([SAMPLE], '1.21.4'), [{ entries: { 'system/card': 1 }, problems: [] }])
})

void t.test('every other example is what the text says', async (t) => {
  const types = builtIn()
  for (const [, text = ''] of DOC.matchAll(/```json\n(.*?)```/gs)) {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>>
    if ('type' in value) t.ok(CARD_TEMPLATES.schema.safeParse({ body: [value] }).success, text)
    else if ('stackSize' in value) t.ok(types.get('system:item')?.schema.safeParse(value).success, text)
  }
})

void t.test(
  'the tables name every member, every node with its members, every card with its data',
  async (t) => {
    const schema = z.toJSONSchema(CARD_TEMPLATES.schema, { io: 'input' })
    t.strictSame(
      rows('Members')
        .map(([name]) => names(name)[0] ?? '')
        .sort(),
      Object.keys(schema.properties ?? {}).sort(),
    )
    const kinds: z.infer<typeof objectSchema>[] = []
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === 'oneOf') kinds.push(...z.array(objectSchema).parse(value))
      return value
    })
    const told = new Map(
      rows('Nodes').map(([type, members]) => [names(type)[0] ?? '', names(members).sort()]),
    )
    const known = kinds.map((kind) => {
      const members = membersOf(kind).filter((name) => name !== 'type' && name !== 'when?')
      return [kind.properties['type']?.const ?? '', members.sort()] as const
    })
    t.ok(known.length > 10)
    t.strictSame(Object.fromEntries(told), Object.fromEntries(known))

    const cards = new Map(
      rows("Data of the System's cards").map(([card, members]) => [
        (card ?? '').replaceAll('`', ''),
        names(members).sort(),
      ]),
    )
    const ours = [...builtIn()].map(([id, { schema: data }]) => {
      const json = z.toJSONSchema(data, { io: 'input', unrepresentable: 'any' })
      return [id, membersOf({ properties: json.properties, required: json.required }).sort()] as const
    })
    t.strictSame(Object.fromEntries(cards), Object.fromEntries(ours))
  },
)

void t.test('the limits are those of the code', async (t) => {
  t.strictSame(
    rows('Limits').map(([, value]) => value),
    Object.values(TEMPLATE_LIMITS).map((value) => value.toLocaleString('en-US')),
  )
})

void t.test('a page of each surface is as large as the text says', async (t) => {
  const options = { lang: 'en_us', languages: shippedLanguages(), token: () => 'tok' }
  const view = (lines: CardView['lines']): CardView => ({ title: null, lines, buttons: [] })
  const many = (count: number, line: CardView['lines'][number]): CardView =>
    view(Array.from({ length: count }, () => line))
  const cells = new Map(rows('Surfaces').map(([name, page]) => [names(name)[0], page]))
  t.strictSame(new Set(cells.keys()), new Set(['chat', 'book', 'window', 'plain']))
  const chat = (of: CardView): number => renderChat(of, options).pages
  t.equal(chat(many(20, { kind: 'text', text: 'x' })), 1)
  t.equal(chat(many(21, { kind: 'text', text: 'x' })), 2)
  t.strictSame(
    [10, 11].map((count) => chat(many(count, { kind: 'entry', title: 'x' }))),
    [1, 2],
  )
  t.match(cells.get('chat'), /^20 lines .* 10 entries$/)
  const { pages } = renderBook(many(1_500, { kind: 'text', text: 'x' }), options)
  t.equal(componentText(pages[0] ?? { text: '' }).split('\n').length, 14)
  t.match(cells.get('book'), /^14 lines .* 100 pages/)
  t.ok(pages.length <= 100)
  t.equal(renderWindow(many(100, { kind: 'entry', title: 'x' }), options).window.rows, 6)
  t.match(cells.get('window'), /^6 rows of 9 slots/)
})

/** The System's card types by id. */
function builtIn(): Map<string, CardType> {
  const types = new Map<string, CardType>()
  addBuiltInCards({
    register: (type) => void types.set(type.id, type),
    view: () => ({ title: null, lines: [], buttons: [] }),
  })
  return types
}
