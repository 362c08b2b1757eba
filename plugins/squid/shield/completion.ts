import type { SquidCommandParams, SquidPlayer, SquidServer } from '../types.js'
import type { Completion } from './repair.js'

/** More would only fill the packet: the client shows ten at a time. */
const MAX_MATCHES = 256

/** Completion of the host's own commands and of names in chat. Commands that the player may not use don't appear. */
export function completeForHost(serv: SquidServer, player: SquidPlayer, text: string): Completion {
  const start = wordStart(text)
  const word = text.slice(start)
  const candidates = candidatesFor(serv, player, text)
  const folded = word.toLowerCase()
  const matches = [...new Set(candidates)]
    .filter((name) => name !== '' && name.toLowerCase().startsWith(folded))
    .sort((a, b) => (a < b ? -1 : 1))
    .slice(0, MAX_MATCHES)
    .map((match) => ({ match }))
  return { start, length: word.length, matches }
}

/** Where the last word begins; the slash belongs to no word. */
function wordStart(text: string): number {
  const space = text.lastIndexOf(' ')
  if (space >= 0) return space + 1
  return text.startsWith('/') ? 1 : 0
}

function candidatesFor(serv: SquidServer, player: SquidPlayer, text: string): readonly string[] {
  if (!text.startsWith('/')) return playerNames(serv)
  const [name = '', ...args] = text.slice(1).split(' ')
  if (args.length === 0) return commandNames(serv, player)
  const { hash } = serv.commands
  const params = Object.hasOwn(hash, name) ? hash[name]?.params : undefined
  if (params === undefined || !mayUse(params, player)) return []
  if (params.tab === undefined) return playerNames(serv)
  const type = params.tab[args.length - 1]
  return type === undefined ? [] : ofType(serv, player, type)
}

const mayUse = (params: SquidCommandParams, player: SquidPlayer): boolean =>
  params.onlyConsole !== true && (params.op !== true || player.op === true)

function commandNames(serv: SquidServer, player: SquidPlayer): readonly string[] {
  return Object.values(serv.commands.uniqueHash)
    .map(({ params }) => params)
    .filter((params) => params.base !== undefined && mayUse(params, player))
    .flatMap((params) => [params.base, ...(params.aliases ?? [])])
}

const playerNames = (serv: SquidServer): readonly string[] =>
  serv.players.flatMap(({ username }) => (username === undefined ? [] : [username]))

function ofType(serv: SquidServer, player: SquidPlayer, type: string): readonly string[] {
  // the host's own list of commands goes by the rights of whoever joined last
  if (type === 'command') return commandNames(serv, player)
  const types = serv.tabComplete?.types
  const list = types !== undefined && Object.hasOwn(types, type) ? types[type] : undefined
  if (typeof list !== 'function') return []
  const names: unknown = list(null)
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : []
}
