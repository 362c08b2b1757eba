/** `flying-squid-system card`: what authors see of a card, and what is said when it is wrong. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { CardTypes } from '../../lib/cards/index.js'
import { coloured } from '../../plugins/cli/card/draw.js'
import { addBuiltInCards } from '../../plugins/squid/built-in-content.js'
import { HOSTILE_TEXTS } from '../support/hostile-texts.js'
import { openLive } from '../support/live-system.js'
import { packPlace, writePack, zipPack } from '../support/packs.js'
import { cli } from './world.js'

const SAMPLE = fileURLToPath(new URL('../../../examples/cards', import.meta.url))
const PICKAXE = {
  id: 'minecraft:iron_pickaxe',
  name: 'Iron Pickaxe',
  translationKey: 'item.minecraft.iron_pickaxe',
  stackSize: 1,
  durability: 250,
  repairedWith: ['minecraft:iron_ingot'],
  block: false,
  craftable: true,
}
const DATA = JSON.stringify(PICKAXE)

void t.test(
  'the chat form and the window as a grid, as the type builds them and as a pack has them',
  async (t) => {
    const own = await cli('/', 'card', 'item', '--data', DATA)
    t.strictSame([own.status, own.stderr], [0, ''])
    t.equal(
      own.stdout,
      `== chat
Iron Pickaxe
Id: minecraft:iron_pickaxe
Stack size: 1
Durability: 250
Repaired with: iron ingot
Can be placed: no
[Recipe]

== window
Iron Pickaxe

  0    .    .    .    .    .    .    .    .
  .  [10]   .    .    .    .    .  [16]   .

 0  Id: minecraft:iron_pickaxe (minecraft:paper)
      Stack size: 1
      Durability: 250
      Repaired with: iron ingot
      (minecraft:iron_ingot)
      Can be placed: no
10  Recipe (minecraft:lime_dye)
16  Close (minecraft:barrier)

`,
    )
    const folder = await packPlace(t)
    await writeFile(join(folder, 'pickaxe.json'), DATA)
    const packed = await cli(
      folder,
      'card',
      'system:item',
      '--data',
      '@pickaxe.json',
      '--pack',
      SAMPLE,
      '--lang',
      'zh_cn',
    )
    t.equal(packed.status, 0)
    t.match(
      packed.stdout,
      /^== chat\n～ Iron Pickaxe ～\nIron Pickaxe\nminecraft:iron_pickaxe\n每格可放：1\n/,
    )
    t.match(packed.stdout, /\[10\] \[11\] .*\n/)
    t.match(packed.stdout, /\n10 {2}如何制作 \(minecraft:crafting_table\)\n/)
  },
)

void t.test('colours where they are asked for; text can not bring its own', async (t) => {
  const { stdout } = await cli('/', 'card', 'item', '--data', DATA, '--color')
  t.match(stdout, '\u001b[96;1mIron Pickaxe\u001b[0m')
  t.equal(
    coloured({ text: 'a', color: '#0102ff', extra: [{ text: 'b', italic: true }] }),
    '\u001b[38;2;1;2;255ma\u001b[0m\u001b[38;2;1;2;255;3mb\u001b[0m',
  )
  // a process each would be slow
  const names = HOSTILE_TEXTS.map(([given]) => given)
  for (let at = 0; at < names.length; at += 8) {
    const name = names.slice(at, at + 8).join(' ')
    const said = await cli('/', 'card', 'item', '--data', JSON.stringify({ ...PICKAXE, name }))
    // oxlint-disable-next-line no-control-regex
    t.notMatch(said.stdout, /[\u0000-\u0009\u000b-\u001f§]/, name)
  }
})

void t.test('one JSON document', async (t) => {
  const { stdout, stderr, status } = await cli(
    '/',
    'card',
    'item',
    '--data',
    DATA,
    '--pack',
    SAMPLE,
    '--json',
  )
  t.strictSame([status, stderr], [0, ''])
  t.match(JSON.parse(stdout), {
    type: 'system:item',
    lang: 'en_us',
    known: true,
    template: true,
    chat: [{ extra: Array }],
    windows: [
      { rows: 2, slots: { 0: { icon: 'minecraft:iron_pickaxe' }, 16: { icon: 'minecraft:barrier' } } },
    ],
    findings: [],
  })
})

void t.test('a picture of one page', async (t) => {
  const card = async (...more: string[]) => cli('/', 'card', 'item', '--data', DATA, '--svg', ...more)
  const [chat, book, json] = [await card(), await card('--surface', 'book'), await card('--json')]
  t.match(chat, { status: 0, stderr: '', stdout: /^<svg [^]*>\[Recipe\]<[^]*<\/svg>\n$/ })
  t.match(book, { status: 0, stderr: '', stdout: /^<svg [^]*>\[Recipe\]<[^]*<\/svg>\n$/ })
  t.not(chat.stdout, book.stdout)
  t.match(JSON.parse(json.stdout), { type: 'system:item', svg: chat.stdout })
  t.match(await card('--surface', 'window', '--page', '2'), {
    status: 2,
    stdout: '',
    stderr: /there is no page 2 of 1/,
  })
  t.match(await cli('/', 'card', 'item', '--svg', '--data', '{"id":1}'), {
    status: 1,
    stdout: /^<svg [^]*<\/svg>\n$/,
    stderr: /wrong: the data: \/id must be/,
  })
})

void t.test('what is wrong is said, with exit status 1', async (t) => {
  const folder = await packPlace(t)
  const card = (body: unknown): Record<string, unknown> => ({ 'data/town/system/card/note.json': { body } })
  const pack = async (name: string, body: unknown): Promise<string> =>
    writePack(join(folder, name), card(body))
  const said = async (body: unknown, data: unknown = {}): Promise<readonly [number, string]> => {
    const { status, stdout } = await cli(
      folder,
      'card',
      'town:note',
      '--data',
      JSON.stringify(data),
      '--pack',
      await pack('p', body),
    )
    return [status ?? -1, stdout]
  }
  const text = (text: unknown): object[] => [{ type: 'text', text }]
  t.match(await said(text('Hello {who}'), { who: 'Ann' }), [0, /Hello Ann\n[^]*belongs to an extension/])
  t.match(await said(text('{gone}')), [1, /wrong: the template: \/body\/0: \{gone\} is not there/])
  t.match(await said(text({ translate: 'town.nothing' })), [1, /wrong: no text for town\.nothing\n/])
  t.match(await said([{ type: 'txet' }]), [
    1,
    /wrong: p data\/town\/system\/card\/note\.json:\d+:\d+ \/body\/0\/type: must be/,
  ])
  t.match(await cli('/', 'card', 'item', '--data', '{"id":1}'), {
    status: 1,
    stdout: /wrong: the data: \/id must be/,
  })
  await writeFile(join(folder, 'p.zip'), zipPack(card(text('{number_of_things}'))))
  t.match(await cli(folder, 'card', 'town:note', '--pack', 'p.zip', '--data', '{"number_of_things":7}'), {
    status: 0,
    stdout: /\n7\n/,
  })
})

void t.test('many pages are all there', async (t) => {
  const folder = await packPlace(t)
  const nodes = [{ type: 'entry', icon: { item: 'stone' }, title: '{it}' }]
  const body = [{ type: 'list', each: 'all', nodes }]
  await writePack(join(folder, 'p'), { 'data/town/system/card/many.json': { title: 'Many', body } })
  const data = JSON.stringify({ all: Array.from({ length: 100 }, (_, at) => `thing ${at}`) })
  const { stdout } = await cli(folder, 'card', 'town:many', '--pack', 'p', '--data', data)
  t.match(stdout, '== chat, page 10 of 10')
  t.match(stdout, '== window, page 3 of 3')
  t.match(stdout, '\n 9  thing 99 (minecraft:stone)\n')
})

void t.test('wrong usage', async (t) => {
  for (const [words, reason] of [
    [['item'], /needs --data/],
    [['--data', '{}'], /takes one card/],
    [['item', 'recipe', '--data', '{}'], /takes one card/],
    [['ITEM', '--data', '{}'], /not an id: ITEM/],
    [['town:gone', '--data', '{}'], /neither the System nor a pack has a card town:gone/],
    [['item', '--data', '{'], /--data is no JSON/],
    [['item', '--data', '@gone.json'], /there is no file gone\.json/],
    [['item', '--data', '{}', '--pack', 'gone'], /there is no gone/],
    [['item', '--data', '{}', '--version', 'x'], /not a version/],
    [['item', '--data', '{}', '--svg', '--surface', 'wall'], /--surface is one of chat, book, window/],
    [['item', '--data', '{}', '--svg', '--page', '0'], /--page is a number from 1/],
    [['item', '--data', '{}', '--page', '2'], /need --svg/],
    [['item', '--data', '{}', '--what'], /--what/],
  ] as const)
    t.match(await cli('/', 'card', ...words), { status: 2, stdout: '', stderr: reason }, words.join(' '))
  t.match(await cli('/', 'card', '--help'), { status: 0, stdout: /--pack <path>/ })
})

void t.test('the command knows the kinds of cards that a server knows', async (t) => {
  const { runtime } = await openLive(t)
  const types = new CardTypes()
  addBuiltInCards(types)
  t.strictSame([...types.ids()].sort(), [...runtime.cardTypes.ids()].sort())
})
