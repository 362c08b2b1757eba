/**
 * Loaded before the worker file in every thread of a measured server: takes the time from the moment a job asks the
 * kernel for a tool to the moment it has the answer. The worker file itself is the one that is shipped.
 */
import { performance } from 'node:perf_hooks'
import { BroadcastChannel, isMainThread, MessagePort } from 'node:worker_threads'

/** Milliseconds of each round trip go to this channel. */
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
  const askedAt = new WeakMap<MessagePort, number | null>()
  const post = MessagePort.prototype.postMessage
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: Parameters<typeof post>) {
    if (isTool(args[0])) {
      // the link's own listener came first: what it does with the answer is inside the measured time
      if (!askedAt.has(this)) this.on('message', (message: unknown) => answered(this, message))
      askedAt.set(this, performance.now())
    }
    return post.apply(this, args)
  }
  const answered = (port: MessagePort, message: unknown): void => {
    const at = askedAt.get(port)
    if (!isTool(message) || typeof at !== 'number') return
    askedAt.set(port, null)
    channel.postMessage(performance.now() - at)
  }
}

if (!isMainThread) install()
