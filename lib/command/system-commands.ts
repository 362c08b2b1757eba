import type { FailureCode } from '../core/failure.js'
import type { Identifier } from '../core/ids.js'
import { ok, type Result } from '../core/result.js'
import type { Message } from '../text/index.js'
import { aiCommand, aiNode, settingsNode, type AiCommand } from './ai-commands.js'
import { commerceCommand, commerceNodes, isCommerceId, type CommerceCommand } from './commerce-commands.js'
import { suggestItems } from './complete.js'
import { declarationProblem, type ModuleCommand } from './declaration.js'
import { memoryNodes, type MemoryCommand } from './memory-commands.js'
import { argument, literal, type CommandArgs, type CommandNode, type LiteralNode } from './node.js'
import { parse } from './parse.js'
import type { CommandSource } from './source.js'

/** What a line under `/system` asks for. Rights were read from the source; whoever executes checks them again. */
export type SystemCommand =
  /** `/system` alone. */
  | { readonly kind: 'workbench' }
  | { readonly kind: 'help' }
  /** `force` takes packs whatever is wrong with them. */
  | { readonly kind: 'reload'; readonly force: boolean }
  | { readonly kind: 'save' }
  | { readonly kind: 'free-text'; readonly text: string }
  /** A module's command; the argument is empty when it takes none. */
  | { readonly kind: 'module'; readonly module: Identifier; readonly argument: string }
  | { readonly kind: 'cancel' }
  /** The asker's own usage, or everybody's. */
  | { readonly kind: 'usage'; readonly all: boolean }
  | { readonly kind: 'act'; readonly token: string }
  | MemoryCommand
  /** A null player is the asker. */
  | { readonly kind: 'grant'; readonly system: Identifier; readonly player: string | null }
  /** `reset`: also what can't be read. A null player is the asker. */
  | { readonly kind: 'revoke' | 'reset'; readonly player: string | null }
  /** What is said of one module configuration for one player. */
  | {
      readonly kind: 'override'
      readonly player: string
      readonly module: Identifier
      readonly to: 'allow' | 'deny' | 'default'
    }
  /** Which modules a player has. */
  | { readonly kind: 'modules'; readonly player: string }
  /** Exercises the item lane. */
  | {
      readonly kind: 'item-test'
      readonly action: 'give' | 'take'
      readonly player: string
      readonly item: Identifier
      /** 1 to `ITEM_TEST_LIMIT`. */
      readonly count: number
    }
  | { readonly kind: 'item-count'; readonly player: string; readonly item: Identifier }
  | AiCommand
  | CommerceCommand
  /** A null player asks about the server. */
  | { readonly kind: 'status'; readonly player: string | null; readonly json: boolean }

/** So many items fill an inventory, those of the off hand included. */
export const ITEM_TEST_LIMIT = 37 * 64

const isPlayer = (source: CommandSource): boolean => source.kind === 'player'
const isAdmin = (source: CommandSource): boolean => source.admin

/** What a bound player may do, and what others are told. */
const BOUND = {
  requires: (source: CommandSource): boolean => isPlayer(source) && source.bound,
  denied: (source: CommandSource): FailureCode =>
    isPlayer(source) ? (source.unbound ?? 'system:not_bound') : 'system:players_only',
}
/** Not offered to others, and refused: the words of an administrator must not go to a model as a question. */
const ADMIN = { requires: isAdmin, denied: (): FailureCode => 'system:no_permission' }

const help = (name: string): { help: Message } => ({ help: { key: `system.command.help.${name}` } })

/**
 * The grammar of `/system` with the commands of the given modules.
 * Throws a TypeError for a declaration that `declarationProblem` refuses beside `BUILT_IN_COMMANDS` and the ones
 * before it.
 */
export function systemCommands(options: { readonly modules: readonly ModuleCommand[] }): LiteralNode {
  const taken = new Set(BUILT_IN_COMMANDS)
  for (const { module, command } of options.modules) {
    const problem = declarationProblem(command, taken)
    if (problem !== null) throw new TypeError(`${module}: ${problem}`)
    taken.add(command.name)
  }
  return literal('system', { ...help('workbench'), execute: { id: 'workbench' } }, [
    freeText(),
    literal('help', { ...help('help'), execute: { id: 'help' } }),
    ...options.modules.map(moduleCommand),
    ...builtIn(),
  ])
}

function freeText(): CommandNode {
  const options = {
    type: { kind: 'text' },
    requires: BOUND.requires,
    // from the console an unknown word is a mistake, not a question
    denied: (source: CommandSource) => (isPlayer(source) ? BOUND.denied(source) : null),
    ...help('free_text'),
    execute: { id: 'free-text' },
  } as const
  return argument('text', options)
}

function moduleCommand({ module, command, help }: ModuleCommand): CommandNode {
  const options = {
    // one that is closed is not offered, and its word says so: it must not go to a model as a question
    requires: (source: CommandSource): boolean => BOUND.requires(source) && source.mayUse(module),
    denied: (source: CommandSource): FailureCode =>
      BOUND.requires(source) ? (source.whyClosed?.(module) ?? 'system:module_closed') : BOUND.denied(source),
    help,
    sets: { module },
  }
  if (command.argument === undefined) return literal(command.name, { ...options, execute: { id: 'module' } })
  const { name, suggest, optional } = command.argument
  const rest = { type: { kind: 'text' }, as: 'argument', execute: { id: 'module' } } as const
  const alone = optional === true ? { ...options, execute: { id: 'module' } } : options
  return literal(command.name, alone, [
    argument(name, suggest === 'item' ? { ...rest, suggest: suggestItems } : rest),
  ])
}

function builtIn(): readonly CommandNode[] {
  const player = { type: { kind: 'player' } } as const
  const system = {
    type: { kind: 'identifier', namespace: 'system' },
    suggest: (source: CommandSource) => source.suggestions.systems(),
    execute: { id: 'grant', when: isPlayer },
  } as const
  const revoke = (id: 'revoke' | 'reset'): CommandNode =>
    literal(id, { ...ADMIN, ...help(id), execute: { id, when: isPlayer } }, [
      argument('player', { ...player, execute: { id } }),
    ])
  const status = { ...ADMIN, ...help('status'), execute: { id: 'status' } }
  // one JSON document is for programs, which type at the console
  const json = literal('--json', {
    requires: (source) => source.kind === 'console',
    sets: { json: true },
    execute: { id: 'status' },
  })
  const usage = {
    requires: (source: CommandSource) => BOUND.requires(source) || isAdmin(source),
    denied: BOUND.denied,
    ...help('usage'),
    execute: { id: 'usage', when: BOUND.requires },
  } as const
  return [
    literal('usage', usage, [literal('all', { ...ADMIN, execute: { id: 'usage' }, sets: { all: true } })]),
    ...memoryNodes(BOUND),
    ...commerceNodes(BOUND, ADMIN),
    literal('cancel', { ...BOUND, ...help('cancel'), execute: { id: 'cancel' } }),
    settingsNode(BOUND),
    // buttons run it: not listed in help
    literal('act', BOUND, [argument('token', { type: { kind: 'token' }, execute: { id: 'act' } })]),
    literal('grant', { ...ADMIN, ...help('grant') }, [
      argument('system', system, [argument('player', { ...player, execute: { id: 'grant' } })]),
    ]),
    revoke('revoke'),
    revoke('reset'),
    modules(),
    aiNode(ADMIN),
    literal('reload', { ...ADMIN, ...help('reload'), execute: { id: 'reload' } }, [
      literal('force', { ...ADMIN, execute: { id: 'reload' }, sets: { force: true } }),
    ]),
    literal('save', { ...ADMIN, ...help('save'), execute: { id: 'save' } }),
    itemTest(),
    literal('status', status, [argument('player', { ...player, execute: { id: 'status' } }, [json]), json]),
  ]
}

function modules(): CommandNode {
  const module = {
    type: { kind: 'identifier', namespace: 'system' },
    as: 'configuration',
    suggest: (source: CommandSource) => source.suggestions.modules(),
  } as const
  const words = (['allow', 'deny', 'default'] as const).map((to) =>
    literal(to, { sets: { to }, execute: { id: 'override' } }),
  )
  return literal('module', { ...ADMIN, ...help('module') }, [
    argument('player', { type: { kind: 'player' }, execute: { id: 'modules' } }, [
      argument('module', module, words),
    ]),
  ])
}

function itemTest(): CommandNode {
  const player = { type: { kind: 'player' } } as const
  const item = {
    type: { kind: 'item' },
    accept: (source: CommandSource, id: string | number) => source.suggestions.items().includes(String(id)),
  } as const
  const count = {
    type: { kind: 'integer', min: 1, max: ITEM_TEST_LIMIT },
    execute: { id: 'item-test' },
  } as const
  const change = (action: 'give' | 'take'): CommandNode =>
    literal(action, { sets: { action } }, [
      argument('player', player, [argument('item', item, [argument('count', count)])]),
    ])
  return literal('item-test', { ...ADMIN, ...help('item_test') }, [
    change('give'),
    change('take'),
    literal('count', {}, [
      argument('player', player, [argument('item', { ...item, execute: { id: 'item-count' } })]),
    ]),
  ])
}

/** Names that no module can take. */
export const BUILT_IN_COMMANDS: ReadonlySet<string> = new Set(['help', ...builtIn().map((node) => node.name)])

/** Reads a line under `/system`: fails as `parse` does. */
export function parseSystemCommand(
  root: CommandNode,
  input: string,
  source: CommandSource,
): Result<SystemCommand> {
  const parsed = parse(root, input, source)
  return parsed.ok ? ok(systemCommand(parsed.value.id, parsed.value.args)) : parsed
}

function systemCommand(id: string, args: CommandArgs): SystemCommand {
  const text = (name: string): string => String(args[name] ?? '')
  const player = args['player'] === undefined ? null : text('player')
  if (isCommerceId(id)) return commerceCommand(id, args)
  switch (id) {
    case 'workbench':
    case 'help':
    case 'cancel':
    case 'save':
      return { kind: id }
    case 'reload':
      return { kind: id, force: args['force'] === true }
    case 'free-text':
      return { kind: id, text: text('text') }
    case 'module':
      // the grammar has put it there: an identifier of the declarations
      return { kind: id, module: text('module') as Identifier, argument: text('argument') }
    case 'usage':
    case 'forget':
      return { kind: id, all: args['all'] === true }
    case 'pins':
      return { kind: id, add: args['add'] === true }
    case 'history':
      return { kind: id, page: Number(args['page'] ?? 1) }
    case 'act':
      return { kind: id, token: text('token') }
    case 'grant':
      return { kind: id, system: text('system') as Identifier, player }
    case 'revoke':
    case 'reset':
      return { kind: id, player }
    case 'modules':
      return { kind: id, player: text('player') }
    case 'override':
    case 'item-test':
    case 'item-count':
      return playerCommand(id, text('player'), args)
    case 'ai':
    case 'ai-default':
    case 'settings':
      return aiCommand(id, args)
    case 'status':
      return { kind: id, player, json: args['json'] === true }
    default:
      throw new TypeError(`not a command of systemCommands: ${id}`)
  }
}

/** Commands about one player, whose arguments only they have. */
function playerCommand(
  kind: 'override' | 'item-test' | 'item-count',
  player: string,
  args: CommandArgs,
): SystemCommand {
  // the grammar has put identifiers there
  const item = String(args['item'] ?? '') as Identifier
  const to = args['to'] === 'allow' || args['to'] === 'deny' ? args['to'] : 'default'
  if (kind === 'item-count') return { kind, player, item }
  if (kind === 'override') return { kind, player, module: String(args['configuration']) as Identifier, to }
  const action = args['action'] === 'take' ? 'take' : 'give'
  return { kind, action, player, item, count: Number(args['count']) }
}
