/** The pictures in docs/pictures: `npm run pictures` makes them, a test compares them. */
import { fileURLToPath } from 'node:url'
import { identifier } from '../../lib/core/ids.js'
import { lookAt } from '../../plugins/cli/card/look.js'
import { picture, type Picture } from '../../plugins/cli/card/picture.js'

export const PICTURES = new URL('../../../docs/pictures/', import.meta.url)
const SAMPLE = fileURLToPath(new URL('../../../examples/cards', import.meta.url))

interface Shown {
  readonly surface?: Picture['surface']
  readonly card: string
  readonly data: unknown
  readonly packs?: readonly string[]
  readonly lang?: string
}

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
const APPLE = {
  id: 'minecraft:apple',
  name: 'Apple',
  translationKey: 'item.minecraft.apple',
  stackSize: 64,
  food: { points: 4, saturation: 2.4 },
  block: false,
  craftable: false,
}
const SETTINGS = {
  externalAi: true,
  freeChat: false,
  history: true,
  notifications: true,
  sounds: true,
  surface: null,
  language: null,
  level: 'route',
  worldSurface: 'chat',
}
/** What the System itself brings; a command that needs words is put into the chat box. */
const WORKBENCH = {
  player: 'Alice',
  system: 'System',
  level: 'route',
  isUnplaced: true,
  entries: [
    ['ask', 'writable_book', '/system ask '],
    ['reason', 'enchanting_table', '/system reason '],
    ['item', 'compass', '/system item '],
    ['recipe', 'crafting_table', '/system recipe '],
    ['me', 'armor_stand'],
    ['usage', 'clock'],
    ['history', 'bookshelf'],
    ['settings', 'comparator'],
    ['pins', 'item_frame'],
    ['help', 'knowledge_book'],
  ].map(([name, icon, press = {}]) => ({
    module: `system:${name}`,
    icon: `minecraft:${icon}`,
    title: `system.workbench.${name}`,
    about: `system.command.help.${name}`,
    press,
  })),
}

const SHOWN: Readonly<Record<string, Shown>> = {
  'item-chat': { card: 'item', data: PICKAXE },
  'item-book': { card: 'item', data: PICKAXE, surface: 'book' },
  'item-window': { card: 'item', data: PICKAXE, surface: 'window' },
  'item-chinese': { card: 'item', data: PICKAXE, packs: [SAMPLE], lang: 'zh_cn' },
  'item-pack': { card: 'item', data: APPLE, packs: [SAMPLE] },
  settings: { card: 'settings', data: SETTINGS },
  workbench: { card: 'workbench', data: WORKBENCH, surface: 'window' },
}

/** Each as it is made now, by the name of its file. */
export async function makePictures(): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>()
  for (const [name, { card, data, packs = [], lang = 'en_us', surface = 'chat' }] of Object.entries(SHOWN)) {
    const seen = await lookAt({ type: identifier(`system:${card}`), data, packs, lang, version: '1.21.4' })
    if (seen === null || seen.findings.length > 0)
      throw new Error(`${name}: ${seen?.findings.join() ?? 'no such card'}`)
    made.set(`${name}.svg`, picture(seen, { surface, page: 1 }))
  }
  return made
}
