import type { CancelTimer, Clock } from './clock.js'

/**
 * What the work gives, or `late` when that takes longer than `ms`; rejects as the work does. Work that is late goes on,
 * and what becomes of it then is nobody's.
 */
export async function within<T, L>(
  work: Promise<T>,
  { clock, ms, late }: { readonly clock: Clock; readonly ms: number; readonly late: L },
): Promise<T | L> {
  let cancel: CancelTimer = () => {}
  const timer = new Promise<L>((resolve) => {
    cancel = clock.after(ms, () => resolve(late))
  })
  try {
    return await Promise.race([work, timer])
  } finally {
    cancel()
  }
}
