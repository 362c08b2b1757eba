import { graph, type CommandNode, type CommandSource } from '../../../lib/command/index.js'
import type { Logger } from '../../../lib/core/logger.js'
import { guarded } from '../guarded.js'
import type { SquidPlayer, SquidServer } from '../types.js'
import { listenToChat } from './chat-prefix.js'
import { completeLine, type LineCompletion } from './completer.js'
import { encodeCommands, otherCommands, type DeclareCommands } from './declare-commands.js'
import { registerRootCommand } from './root-command.js'
import { watchOp } from './watch-op.js'

/** What the command surface needs of the rest. */
export interface CommandSurfaceOptions {
  readonly serv: SquidServer
  /** The grammar; its name is the root word. */
  readonly root: CommandNode
  /** One sentence for flying-squid's own `/help`. */
  readonly info: string
  /** Begins chat lines that are meant for us, such as `@system`; empty: no chat line is. Asked for each line. */
  readonly chatPrefix: () => string
  /** The rights and lists of a player right now. */
  source(player: SquidPlayer): CommandSource
  /**
   * Gets each line without root word or prefix, otherwise as typed; a null player is the console, whose answers are
   * printed by the receiver. What it throws is logged, never passed on to flying-squid.
   */
  onCommand(player: SquidPlayer | null, text: string): void | Promise<void>
  /** Sends the packet so that a failure to serialise can't harm the connection. */
  send(player: SquidPlayer, packet: 'declare_commands', fields: DeclareCommands): void
  readonly log: Logger
}

/** The System's commands on a running server. */
export interface CommandSurface {
  /** Tells the player's client (without one: every client) its commands again: after a change of binding or rights. */
  refresh(player?: SquidPlayer): void
  /** Offers for a client's line, or null when the line isn't ours. Never throws. */
  complete(player: SquidPlayer, line: string): LineCompletion | null
  /** Takes everything away again: command, listeners, accessors. Twice is a no-op. */
  close(): void
}

interface Attached {
  /** In the world: only then may the packet be sent. */
  spawned: boolean
  detach(): void
}

/** Opens the surface; from 'pluginsReady' on. Players who are already there are served too. */
export function openCommands(options: CommandSurfaceOptions): CommandSurface {
  const { serv, log, root, info } = options
  const receive = guarded(log, 'a command', (player: SquidPlayer | null, text: string) =>
    options.onCommand(player, text),
  )
  const unregister = registerRootCommand(serv, { name: root.name, info }, receive)
  const players = followPlayers(options, receive)
  return {
    refresh: players.refresh,
    complete: (player, line) =>
      guard(log, 'a line was not completed', () => completeLine(root, line, options.source(player))) ?? null,
    close() {
      unregister()
      players.close()
    },
  }
}

/** Sends each player's graph when it is due and hears its chat, from its login on. */
function followPlayers(
  options: CommandSurfaceOptions,
  receive: (player: SquidPlayer, text: string) => void,
): { refresh: (player?: SquidPlayer) => void; close: () => void } {
  const { serv, log, chatPrefix } = options
  const attached = new Map<SquidPlayer, Attached>()
  const sendTo = (player: SquidPlayer): void => {
    if (attached.get(player)?.spawned !== true || player._client.ended === true) return
    guard(log, 'the command graph was not sent', () =>
      options.send(player, 'declare_commands', fieldsFor(options, player)),
    )
  }
  const attach = (player: SquidPlayer): void => {
    const changed = (): void => sendTo(player)
    const gone = (): void => void attached.delete(player)
    const said = (text: string): void => receive(player, text)
    guard(log, 'a player has no commands', () =>
      attached.set(player, attachPlayer(player, { chatPrefix, changed, gone, said })),
    )
  }
  serv.on('newPlayer', attach)
  for (const player of serv.players) {
    attach(player)
    const entry = attached.get(player)
    if (entry !== undefined) entry.spawned = true
    sendTo(player)
  }
  return {
    refresh(player) {
      for (const each of player === undefined ? attached.keys() : [player]) sendTo(each)
    },
    close() {
      serv.removeListener('newPlayer', attach)
      for (const entry of attached.values()) entry.detach()
      attached.clear()
    },
  }
}

function fieldsFor(options: CommandSurfaceOptions, player: SquidPlayer): DeclareCommands {
  const { serv, root } = options
  const ours = graph(root, options.source(player))
  const others = otherCommands(serv.commands, { op: Boolean(player.op), except: root.name })
  return encodeCommands(ours === null ? [] : [ours], others)
}

/** Listens to one player until it leaves or `detach` is called. */
function attachPlayer(
  player: SquidPlayer,
  on: {
    readonly chatPrefix: () => string
    readonly changed: () => void
    readonly gone: () => void
    readonly said: (text: string) => void
  },
): Attached {
  const stopWatching = watchOp(player, on.changed)
  const stopListening = listenToChat(player, on.chatPrefix, on.said)
  const entry: Attached = {
    spawned: false,
    detach() {
      stopWatching()
      stopListening()
      player.removeListener('spawned', spawned)
      player.removeListener('disconnected', gone)
    },
  }
  const spawned = (): void => {
    entry.spawned = true
    on.changed()
  }
  const gone = (): void => {
    entry.detach()
    on.gone()
  }
  player.on('spawned', spawned)
  player.once('disconnected', gone)
  return entry
}

function guard<T>(log: Logger, what: string, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    log.error(what, error)
    return undefined
  }
}
