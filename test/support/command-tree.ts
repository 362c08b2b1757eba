/** The grammar of the built-in modules and the askers that tests type as. */
import { systemCommands, type CommandSource, type ModuleCommand } from '../../lib/command/index.js'
import { identifier } from '../../lib/core/ids.js'

function moduleCommand(name: string, argument?: ModuleCommand['command']['argument']): ModuleCommand {
  const command = argument === undefined ? { name } : { name, argument }
  return { module: identifier(`system:${name}`), command, help: { key: `test.help.${name}` } }
}

export const MODULES: readonly ModuleCommand[] = [
  moduleCommand('ask', { name: 'text' }),
  moduleCommand('reason', { name: 'text' }),
  moduleCommand('item', { name: 'query', suggest: 'item' }),
  moduleCommand('recipe', { name: 'query', suggest: 'item' }),
  moduleCommand('me'),
]

/** What a bound player may type, in the order of completion. */
export const OWN_WORDS = [
  'help',
  'ask',
  'reason',
  'item',
  'recipe',
  'me',
  'usage',
  'history',
  'pins',
  'forget',
  'signin',
  'orders',
  'cancel',
  'settings',
  'act',
]

export const TREE = systemCommands({ modules: MODULES })

const suggestions: CommandSource['suggestions'] = {
  players: () => ['alice', 'Bob', 'constructor', '__proto__'],
  items: () => ['minecraft:diamond', 'minecraft:diorite', 'minecraft:dirt', 'mod:dial'],
  systems: () => ['system:default', 'system:other'],
  modules: () => ['system:items', 'system:player'],
  languages: () => ['en_us', 'zh_cn'],
}

const mayUse = (): boolean => true
const player = { kind: 'player', name: 'alice', admin: false, bound: true, mayUse, suggestions } as const
export const PLAYER: CommandSource = player
export const UNBOUND: CommandSource = { ...player, bound: false }
export const ADMIN: CommandSource = { ...player, admin: true }
export const UNBOUND_ADMIN: CommandSource = { ...player, admin: true, bound: false }
export const CONSOLE: CommandSource = {
  kind: 'console',
  name: 'console',
  admin: true,
  bound: false,
  mayUse: () => false,
  suggestions,
}
export const ALL_SOURCES = { PLAYER, UNBOUND, ADMIN, UNBOUND_ADMIN, CONSOLE } as const
