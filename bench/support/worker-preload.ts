/**
 * Loaded before the worker file in every thread of a measured server: takes the time from the moment a job asks the
 * kernel for a tool to the moment it has the answer, and how long one of the two threads (the one that waited longer: both
 * can wait at once) had to wait for a core meanwhile.
 * The worker file itself is the one that is shipped.
 */
import { performance } from 'node:perf_hooks'
import { BroadcastChannel, isMainThread, MessagePort } from 'node:worker_threads'
import { MAIN_THREAD, THIS_THREAD, ThreadStat } from './thread-stat.js'

/** Each round trip goes to this channel: `{ ms, waitMs }`. */
export const TOOL_CHANNEL = 'bench-tool-round-trips'

interface Message {
  readonly v?: unknown
  readonly t?: unknown
}

const isTool = (message: unknown): boolean =>
  typeof message === 'object' &&
  message !== null &&
  (message as Message).v === 1 &&
  (message as Message).t === 'tool'

function install(): void {
  const channel = new BroadcastChannel(TOOL_CHANNEL)
  channel.unref()
  const threads = [new ThreadStat(MAIN_THREAD), new ThreadStat(THIS_THREAD)]
  const now = () => ({ at: performance.now(), waitsMs: threads.map((thread) => thread.read().waitMs) })
  const asked = new WeakMap<MessagePort, ReturnType<typeof now> | null>()
  const post = MessagePort.prototype.postMessage
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: Parameters<typeof post>) {
    if (isTool(args[0])) {
      // the link's own listener came first: what it does with the answer is inside the measured time
      if (!asked.has(this)) this.on('message', (message: unknown) => answered(this, message))
      asked.set(this, now())
    }
    return post.apply(this, args)
  }
  const answered = (port: MessagePort, message: unknown): void => {
    const before = asked.get(port)
    if (!isTool(message) || before === undefined || before === null) return
    asked.set(port, null)
    const { at, waitsMs } = now()
    const waits = waitsMs.map((waitMs, thread) => waitMs - (before.waitsMs[thread] ?? waitMs))
    channel.postMessage({ ms: at - before.at, waitMs: Math.max(...waits) })
  }
}

if (!isMainThread) install()
