import type { Message } from '../../../lib/text/index.js'
import type { SquidPlayer, SquidServer } from '../types.js'
import { playerInternals } from './internals.js'
import type { RepairContext } from './repair.js'

/** Stands for the id that who never came in hasn't got: without one, the others can't be told that nobody left. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

interface Ban {
  readonly reason?: unknown
}

/** The host's lists, by account id or name, and by address. */
interface Bans {
  readonly bannedPlayers?: Readonly<Record<string, Ban>>
  readonly bannedIPs?: Readonly<Record<string, Ban>>
}

/** Lets in who may come in: the host looks for bans and for who is here by an id that it hasn't set yet, and counts nobody. */
export function limitLogins(context: RepairContext): () => void {
  const here = new Set<SquidPlayer>(context.serv.players ?? [])
  let isActive = true
  context.tap.onPlayer((player) => {
    const inside = playerInternals(player)
    const { login } = inside
    inside.login = async () => {
      for (const other of here) if (other.disconnected === true) here.delete(other)
      const reason = isActive && player.disconnected !== true ? refusal(context, here, player) : null
      if (reason === null) {
        if (player.disconnected !== true) here.add(player)
        return Reflect.apply(login, player, [])
      }
      player.uuid = NOBODY
      // the host saves at the end of every connection
      inside.save = () => Promise.resolve()
      inside.kick(reason)
      return undefined
    }
  })
  return () => {
    isActive = false
  }
}

function refusal(context: RepairContext, here: ReadonlySet<SquidPlayer>, player: SquidPlayer): string | null {
  const say = (message: Message): string => context.text(player, message)
  const ban = banOf(context.serv, player)
  if (ban !== undefined)
    return typeof ban.reason === 'string' && ban.reason !== ''
      ? ban.reason
      : say({ key: 'system.shield.banned' })
  const [id, name] = namesOf(player)
  // a second login of the same account ends the first one, where `sessions` is on
  const others = [...here].filter((other) => !context.isEnabled('sessions') || namesOf(other)[0] !== id)
  if (others.some((other) => namesOf(other)[1] === name)) return say({ key: 'system.shield.name_taken' })
  const { maxPlayers } = context.serv._server
  if (Number.isInteger(maxPlayers) && others.length >= Number(maxPlayers))
    return say({ key: 'system.shield.server_full' })
  return null
}

function banOf(serv: SquidServer, player: SquidPlayer): Ban | undefined {
  const { bannedPlayers = {}, bannedIPs = {} } = serv as Bans
  const names = namesOf(player)
  const key = Object.keys(bannedPlayers).find((banned) => names.includes(banned.toLowerCase()))
  if (key !== undefined) return bannedPlayers[key]
  // the host's command takes addresses of the old kind alone
  const address = player._client.socket?.remoteAddress?.replace(/^::ffff:/, '') ?? ''
  return Object.hasOwn(bannedIPs, address) ? bannedIPs[address] : undefined
}

/** Account id and name; commands of the host don't tell upper from lower case. */
const namesOf = ({ _client }: SquidPlayer): readonly [string, string] => [
  _client.uuid.toLowerCase(),
  _client.username.toLowerCase(),
]
