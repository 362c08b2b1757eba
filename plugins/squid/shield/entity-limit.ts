import { settingOf } from './internals.js'
import type { RepairContext } from './repair.js'
import { replaceMethod } from './replace-method.js'

const SETTING = 'max-entities'

type InitEntity = (kind: string, ...rest: readonly unknown[]) => unknown
type Spawn = (...given: readonly unknown[]) => unknown

/**
 * A world full of entities takes no more things and mobs, and players still come in: the host counts them too, and throws from
 * a login in a timer, or from a digger's promise, either of which ends the process.
 */
export function limitEntities({ serv, log }: RepairContext): () => void {
  const { options } = serv._server
  const max = (): number => Number(settingOf(serv, SETTING))
  const isFull = (): boolean => Object.keys(serv.entities).length > max()
  const bounded =
    (stock: Spawn): Spawn =>
    (...given) => {
      if (!isFull()) return Reflect.apply(stock, serv, given)
      log.write('entities', `limits: the world has more than ${max()} entities and takes no more of them`)
      return undefined
    }
  const undo = [
    replaceMethod<InitEntity>(serv, 'initEntity', (stock) => (kind, ...rest) => {
      const init = (): unknown => Reflect.apply(stock, serv, [kind, ...rest])
      if (kind !== 'player') return init()
      const before = options[SETTING]
      options[SETTING] = Infinity
      try {
        return init()
      } finally {
        options[SETTING] = before
      }
    }),
    replaceMethod<Spawn>(serv, 'spawnObject', bounded),
    replaceMethod<Spawn>(serv, 'spawnMob', bounded),
  ]
  return () => {
    for (const run of undo.reverse()) run()
  }
}
