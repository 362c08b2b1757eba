import type { SquidPlayer } from '../types.js'
import { playerInternals } from './internals.js'
import type { InstallRepair, RepairContext } from './repair.js'

/** A connection that doesn't end when it is told to is cut after this long. */
const CUT_AFTER_MS = 1_000

/** One connection of an account, from its login to its last save. */
interface Stay {
  readonly player: SquidPlayer
  saving: Promise<unknown>
  /** Resolves when the player has gone and is saved, and so is whoever was here before. */
  over: Promise<void>
}

/**
 * One live session per account: a second login ends the first and waits for its save. The host compares with an id that
 * isn't set yet, so that both play, and the last to leave overwrites what the other had.
 */
export const installSessions: InstallRepair = (context) => {
  const stays = new Map<string, Stay>()
  context.tap.onPlayer((player) => enter(context, stays, player))
  // what is wrapped stays wrapped: it only passes on
  return () => {}
}

function enter(context: RepairContext, stays: Map<string, Stay>, player: SquidPlayer): void {
  const id = player._client.uuid.toLowerCase()
  const inside = playerInternals(player)
  const { login, save } = inside
  const stay: Stay = { player, saving: Promise.resolve(), over: Promise.resolve() }
  inside.save = () => {
    const saving = Promise.resolve(Reflect.apply(save, player, []))
    stay.saving = saving.catch(() => {})
    return saving
  }
  const gone = new Promise<void>((resolve) => {
    // the host asks for the last save after the listeners, in the same turn
    player.once('disconnected', () => queueMicrotask(resolve))
  })
  const begin = (): Promise<void> => {
    const before = stays.get(id)
    const isFree = before === undefined ? Promise.resolve() : end(context, before)
    stay.over = afterwards(stay, gone, isFree).finally(() => {
      if (stays.get(id) === stay) stays.delete(id)
    })
    stays.set(id, stay)
    return isFree
  }
  inside.login = async () => {
    await begin()
    if (player.disconnected === true || stays.get(id) !== stay) return undefined
    return Reflect.apply(login, player, [])
  }
  if (context.serv.players.includes(player)) void begin()
}

async function afterwards(stay: Stay, gone: Promise<void>, isFree: Promise<void>): Promise<void> {
  await isFree
  await gone
  await stay.saving
}

async function end({ clock, text }: RepairContext, { player, over }: Stay): Promise<void> {
  playerInternals(player).kick(text(player, { key: 'system.shield.logged_in_elsewhere' }))
  const cancel = clock.after(CUT_AFTER_MS, () => player._client.socket?.destroy())
  await over
  cancel()
}
