/** Card templates as files of packs: what is refused, with its place, and the example that hosts copy. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { cardOf, CardTypes } from '../../lib/cards/index.js'
import { CARD_TEMPLATES } from '../../lib/cards/templates/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { itemCardType } from '../../lib/items/item-cards.js'
import { contentOf } from '../support/content.js'

void t.test('a template that can not be decoded is named with its place and left out', async (t) => {
  const deep = (levels: number): Json =>
    levels === 0 ? { type: 'separator' } : { type: 'grid', nodes: [deep(levels - 1)] }
  const wide = Array.from({ length: 300 }, () => ({ type: 'separator' }))
  const cases: readonly (readonly [Json, string, RegExp])[] = [
    [{}, '/body', /missing/],
    [{ body: [{ type: 'txet', text: '' }] }, '/body/0/type', /"text", "items", "icons"/],
    [{ body: [{ type: 'grid', nodes: [{ type: 'text' }] }] }, '/body/0/nodes/0/text', /missing|must be/],
    [{ body: [{ type: 'text', text: 'a', x: 1 }] }, '/body/0/x', /not a known field/],
    [{ body: [{ type: 'list', each: 'a b', nodes: [] }] }, '/body/0/each', /no path/],
    [
      { body: [{ type: 'text', text: { translate: 'a', with: { 'a b': 'c' } } }] },
      '/body/0/text/with/a b',
      /name/,
    ],
    [{ body: wide }, '/body', /at most 256/],
    [{ body: [{ type: 'text', text: 'x'.repeat(2_000) }] }, '/body/0/text', /1024|must be/],
  ]
  for (const [template, pointer, reason] of cases) {
    const content = await contentOf([CARD_TEMPLATES], { entries: { 'system/card': { 'a:b': template } } })
    t.equal(content.registry(CARD_TEMPLATES).size, 0)
    t.match(content.problems, [{ pointer, reason }], pointer)
  }
  t.ok(CARD_TEMPLATES.schema.safeParse({ body: [deep(30)] }).success, 'as deep as a file can be')
})

void t.test('the example makes the card of an item', async (t) => {
  const file = new URL('../../../examples/cards/data/system/system/card/item.json', import.meta.url)
  const template = CARD_TEMPLATES.schema.parse(JSON.parse(readFileSync(fileURLToPath(file), 'utf8')))
  const types = new CardTypes([itemCardType], (_, cause) => t.fail(String(cause)))
  types.useTemplates((type) => (type === itemCardType.id ? template : undefined))
  const apple = {
    id: identifier('minecraft:apple'),
    name: 'Apple',
    translationKey: 'item.minecraft.apple',
    stackSize: 64,
    food: { points: 4, saturation: 2 },
    block: false,
    craftable: false,
  }
  const view = types.view(cardOf(itemCardType, apple))
  t.strictSame(
    view.lines.map(({ kind }) => kind),
    ['entry', 'row', 'progress'],
  )
  t.strictSame(
    view.buttons.map(({ action }) => action.kind),
    ['suggest'],
    'there is no recipe',
  )
  const pick = {
    ...apple,
    food: undefined,
    durability: 59,
    repairedWith: [identifier('minecraft:stick')],
    craftable: true,
  }
  const other = types.view(cardOf(itemCardType, pick))
  t.strictSame(
    other.lines.map(({ kind }) => kind),
    ['entry', 'row', 'row', 'message', 'item'],
  )
  t.match(other.buttons, [{ action: { kind: 'server' }, icon: 'minecraft:crafting_table' }, {}])
})
