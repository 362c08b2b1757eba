import type { SquidPlayer } from '../types.js'

/** What a chat line says to the System, or null when it is ordinary chat. */
export function afterPrefix(message: string, prefix: string): string | null {
  const line = message.trimStart()
  if (prefix === '' || line.slice(0, prefix.length).toLowerCase() !== prefix.toLowerCase()) return null
  const rest = line.slice(prefix.length)
  // with a prefix such as "!" nothing need stand between
  if (rest === '' || !/[\p{L}\p{N}]$/u.test(prefix)) return rest
  // "@systematic" is no request, but "@system, where am I" and Chinese, which writes no spaces, must not be told to all
  const separated = /^(?:[,:，：、]|(?=[\s\p{Script=Han}]))(.*)$/su.exec(rest)
  return separated?.[1] ?? null
}

/**
 * Takes chat lines that begin with the prefix away from the chat. They are not broadcast, and later listeners and
 * flying-squid's log see the prefix alone, since what a player asks is private. Returns how to stop.
 */
export function listenToChat(
  player: SquidPlayer,
  prefixNow: () => string,
  onText: (text: string) => void,
): () => void {
  const listen = (
    chat: { message?: unknown; text?: unknown },
    cancel: (tellOthers: boolean) => void,
  ): void => {
    if (typeof chat.message !== 'string') return
    const prefix = prefixNow()
    const text = afterPrefix(chat.message, prefix)
    if (text === null) return
    cancel(false)
    chat.message = prefix
    chat.text = prefix
    onText(text)
  }
  player.on('chat_cancel', listen)
  return () => void player.removeListener('chat_cancel', listen)
}
