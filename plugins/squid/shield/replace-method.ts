import type { SquidServer } from '../types.js'

type Method = (...given: never[]) => unknown

/**
 * Puts a method in place of the host's; before the host has it, as soon as it is ready. What is wrapped by others later
 * only passes on once it is taken back.
 */
export function replaceMethod<M extends Method>(
  serv: SquidServer,
  name: string,
  repaired: (stock: M) => M,
): () => void {
  const holder = serv as unknown as Record<string, M | undefined>
  let isActive = true
  let undo = (): void => {}
  const put = (): void => {
    const stock = holder[name]
    if (typeof stock !== 'function') return
    const better = repaired(stock)
    const ours = ((...given: Parameters<M>) => Reflect.apply(isActive ? better : stock, serv, given)) as M
    holder[name] = ours
    undo = () => {
      if (holder[name] === ours) holder[name] = stock
    }
  }
  if (typeof holder[name] === 'function') put()
  else serv.once('pluginsReady', put)
  return () => {
    isActive = false
    serv.removeListener('pluginsReady', put)
    undo()
  }
}
