import type { InstallRepair } from './repair.js'

const CHECK = 'validateChannelProtocol'

/**
 * At each login minecraft-protocol checks the types of plugin channels against a JSON Schema that it compiles anew: a tenth of
 * a second in which no tick happens, for types that ship with it. The check is skipped where the host hasn't asked for it.
 */
export const installJoinCost: InstallRepair = ({ serv }) => {
  const { options } = serv._server
  if (options[CHECK] !== undefined) return () => {}
  options[CHECK] = false
  return () => {
    delete options[CHECK]
  }
}
