import { AI_LEVELS, AI_SWITCHES, type AiLevel, type AiSwitch } from '../core/ai-level.js'
import type { FailureCode } from '../core/failure.js'
import type { Message } from '../text/index.js'
import { argument, literal, type CommandArgs, type CommandNode } from './node.js'
import type { CommandSource } from './source.js'

/** What is asked about the AI: by administrators of others, by players of themselves. */
export type AiCommand =
  /** Prints (undefined), sets, or takes back (null) what a player may have of a model. */
  | { readonly kind: 'ai'; readonly player: string; readonly level: AiLevel | null | undefined }
  /** The same for those of whom nothing is said; undefined prints it. */
  | { readonly kind: 'ai-default'; readonly level: AiLevel | undefined }
  /** The asker's own switches; null prints them. */
  | { readonly kind: 'settings'; readonly change: { readonly name: AiSwitch; readonly isOn: boolean } | null }

/** Who sees a command, and what others are told. */
interface Rights {
  requires(source: CommandSource): boolean
  denied(source: CommandSource): FailureCode
}

const help = (name: string): { readonly help: Message } => ({ help: { key: `system.command.help.${name}` } })

/** `/system ai`, for administrators. */
export function aiNode(rights: Rights): CommandNode {
  const levels = (id: string): readonly CommandNode[] =>
    AI_LEVELS.map((level) => literal(level, { sets: { level }, execute: { id } }))
  return literal('ai', { ...rights, ...help('ai') }, [
    literal('default', { execute: { id: 'ai-default' } }, levels('ai-default')),
    argument('player', { type: { kind: 'player' }, execute: { id: 'ai' } }, [
      ...levels('ai'),
      literal('default', { sets: { level: 'default' }, execute: { id: 'ai' } }),
    ]),
  ])
}

/** `/system settings`, for whom they are. */
export function settingsNode(rights: Rights): CommandNode {
  const turn = (isOn: boolean): CommandNode =>
    literal(isOn ? 'on' : 'off', { sets: { isOn }, execute: { id: 'settings' } })
  const name = {
    type: { kind: 'word' },
    suggest: () => AI_SWITCHES,
    accept: (_: CommandSource, word: string | number) => switchOf(word) !== undefined,
  } as const
  return literal('settings', { ...rights, ...help('settings'), execute: { id: 'settings' } }, [
    argument('switch', name, [turn(true), turn(false)]),
  ])
}

/** The command of that id with the arguments of its node. */
export function aiCommand(id: AiCommand['kind'], args: CommandArgs): AiCommand {
  const level = AI_LEVELS.find((known) => known === args['level'])
  switch (id) {
    case 'ai':
      return { kind: id, player: String(args['player']), level: args['level'] === 'default' ? null : level }
    case 'ai-default':
      return { kind: id, level }
    case 'settings': {
      const name = switchOf(args['switch'])
      return { kind: id, change: name === undefined ? null : { name, isOn: args['isOn'] === true } }
    }
  }
}

/** A switch by its name in any case. */
const switchOf = (word: unknown): AiSwitch | undefined =>
  AI_SWITCHES.find((known) => known.toLowerCase() === String(word).toLowerCase())
