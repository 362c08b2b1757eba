import type { CommandContext, SquidCommands, SquidPlayer } from '../types.js'
import { playerInternals, type CommandsInternals } from './internals.js'
import type { InstallRepair, RepairContext } from './repair.js'

/** The host prints the message of an error with this mark, and rethrows any other error past every handler. */
class CommandRefused extends Error {
  readonly userError = 1
}

const isForUser = (error: unknown): error is Error =>
  error instanceof Error && (error as { userError?: unknown }).userError !== undefined

/** Commands whose first argument says whom they strike, and that stock lets everybody use on everybody. */
const TARGETED = new Set(['kill', 'effect'])
/** What a player without rights may pass to them: plain words, so that nothing hides behind a line break. */
const PLAIN_ARGUMENTS = /^[\w@:.-]+(?: [\w:.-]+)*$/

/** No command ends the process or strikes others without rights; no listener of chat or commands ends it either. */
export const installCommandShield: InstallRepair = (context) => {
  const { commands } = context.serv
  const unuse = wrapUse(context, commands)
  const untable = [commands.hash, commands.uniqueHash].map(withoutPrototype)
  const unbehave = new WeakMap<SquidPlayer, () => void>()
  context.tap.onPlayer((player) => unbehave.set(player, wrapBehavior(context, player)))
  return () => {
    unuse()
    for (const undo of untable) undo()
    for (const player of context.serv.players ?? []) unbehave.get(player)?.()
  }
}

function wrapUse(context: RepairContext, commands: SquidCommands): () => void {
  const inside: CommandsInternals = commands
  const hadOwn = Object.hasOwn(commands, 'use')
  const stock = inside.use
  let isActive = true
  const ours: CommandsInternals['use'] = async (command, ctx = {}, op = true) => {
    if (!isActive) return Reflect.apply(stock, commands, [command, ctx, op])
    try {
      if (!op && !mayStrike(commands, command, ctx))
        return context.text(ctx.player, { key: 'system.shield.command_denied' })
      return await Reflect.apply(stock, commands, [command, ctx, op])
    } catch (error) {
      if (isForUser(error)) throw error
      const name = nameOf(commands, command)
      context.log.write(`command ${name}`, `command-shield: /${name} failed`, error)
      throw new CommandRefused(context.text(ctx.player, { key: 'system.shield.command_failed' }))
    }
  }
  inside.use = ours
  return () => {
    isActive = false
    if (inside.use !== ours) return
    if (hadOwn) inside.use = stock
    else Reflect.deleteProperty(commands, 'use')
  }
}

/** The base name of a known command; what a player typed instead of one stays out of the log. */
function nameOf(commands: SquidCommands, command: unknown): string {
  const word = String(command).split(' ')[0] ?? ''
  return Object.hasOwn(commands.hash, word) ? (commands.hash[word]?.params.base ?? '?') : '?'
}

function mayStrike(commands: SquidCommands, command: string, { player }: CommandContext): boolean {
  if (player === undefined || !TARGETED.has(nameOf(commands, command))) return true
  const args = command.slice(command.indexOf(' ') + 1)
  if (!command.includes(' ') || args === '') return true
  const target = args.split(' ')[0]
  return PLAIN_ARGUMENTS.test(args) && (target === player.username || target === '@s')
}

/** `/constructor` must not find what every object inherits. */
function withoutPrototype(table: object): () => void {
  const before: unknown = Object.getPrototypeOf(table)
  Object.setPrototypeOf(table, null)
  return () => {
    Object.setPrototypeOf(table, before as object | null)
  }
}

/** Listeners of `chat`, `command` and all other behaviours run in promises that the host never looks at. */
function wrapBehavior({ log }: RepairContext, player: SquidPlayer): () => void {
  const inside = playerInternals(player)
  const stock = inside.behavior
  const ours: typeof stock = async (name, ...rest) => {
    try {
      return await Reflect.apply(stock, player, [name, ...rest])
    } catch (error) {
      log.write(`behavior ${name}`, `command-shield: a listener of ${name} failed`, error)
      return false
    }
  }
  inside.behavior = ours
  return () => {
    if (inside.behavior === ours) inside.behavior = stock
  }
}
