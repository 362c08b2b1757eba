import { AI_LEVELS, type AiLevel } from '../core/ai-level.js'
import type { FailureCode } from '../core/failure.js'
import { CARD_SURFACES, NO_CHOICE, OWN_CHOICES, OWN_SWITCHES, type OwnChange } from '../core/own-settings.js'
import type { Message } from '../text/index.js'
import { argument, literal, type CommandArgs, type CommandNode } from './node.js'
import type { CommandSource } from './source.js'

/** What is asked about the AI: by administrators of others, by players of themselves. */
export type AiCommand =
  /** Prints (undefined), sets, or takes back (null) what a player may have of a model. */
  | { readonly kind: 'ai'; readonly player: string; readonly level: AiLevel | null | undefined }
  /** The same for those of whom nothing is said; undefined prints it. */
  | { readonly kind: 'ai-default'; readonly level: AiLevel | undefined }
  /** The asker's own settings; null shows them. */
  | { readonly kind: 'settings'; readonly change: OwnChange | null }

/** Who sees a command, and what others are told. */
export interface Rights {
  readonly requires: (source: CommandSource) => boolean
  readonly denied: (source: CommandSource) => FailureCode
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
  const turn = (to: 'on' | 'off'): CommandNode => literal(to, { sets: { to }, execute: { id: 'settings' } })
  const name = {
    type: { kind: 'word' },
    as: 'setting',
    suggest: () => OWN_SWITCHES,
    accept: (_: CommandSource, word: string | number) => among(OWN_SWITCHES, word) !== undefined,
  } as const
  return literal('settings', { ...rights, ...help('settings'), execute: { id: 'settings' } }, [
    argument('switch', name, [turn('on'), turn('off')]),
    choice('surface', () => CARD_SURFACES),
    choice('language', (source) => source.suggestions.languages()),
  ])
}

/** One of what there is for the asker, or what everybody has. */
function choice(
  name: (typeof OWN_CHOICES)[number],
  offered: (source: CommandSource) => readonly string[],
): CommandNode {
  const words = (source: CommandSource): readonly string[] => [...offered(source), NO_CHOICE]
  const to = {
    type: { kind: 'word' },
    as: 'to',
    suggest: words,
    accept: (source: CommandSource, word: string | number) => among(words(source), word) !== undefined,
    execute: { id: 'settings' },
  } as const
  return literal(name, { sets: { setting: name } }, [argument(name, to)])
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
      const name = among([...OWN_SWITCHES, ...OWN_CHOICES], args['setting'])
      const to = String(args['to']).toLowerCase()
      return { kind: id, change: name === undefined ? null : { name, to } }
    }
  }
}

/** The name that the word stands for, in any case. */
const among = <N extends string>(names: readonly N[], word: unknown): N | undefined =>
  names.find((known) => known.toLowerCase() === String(word).toLowerCase())
