/**
 * A bot that asks the System, gets typed answers, and presses buttons: protocol 1 on plugin channels.
 *
 *     node mineflayer-client.js localhost 25565 "how do I make a piston?"
 */
import { randomUUID } from 'node:crypto'
import { createBot, type Bot } from 'mineflayer'
import { CHANNEL_PROTOCOL, ResponseReader, type ChannelCard, type ChannelResponse } from 'flying-squid-system'

type Reply = Extract<ChannelResponse, { type: 'reply' }>
type Asked =
  | { readonly type: 'chat'; readonly text: string }
  | { readonly type: 'module'; readonly module: string; readonly input: unknown }
  | { readonly type: 'button'; readonly token: string }

/** Asks the System of the server that a bot is on. */
export class SystemClient {
  readonly #bot: Bot
  readonly #reader = new ResponseReader()
  readonly #waiting = new Map<string, (reply: Reply) => void>()

  constructor(bot: Bot) {
    this.#bot = bot
    bot._client.on('custom_payload', ({ channel, data }: { channel: string; data: Buffer }) => {
      if (channel !== 'system:assistant_response_s2c') return
      const whole = this.#reader.take(data)
      if (whole === null) return
      const said = JSON.parse(Buffer.from(whole).toString('utf8')) as ChannelResponse
      if (said.type === 'notification') console.log(`told: ${said.text}`)
      if (said.type !== 'reply' && said.type !== 'navigation') return
      // the player's own screen has changed: there is nothing to tell
      const reply: Reply =
        said.type === 'reply'
          ? said
          : { type: 'reply', id: said.id, status: 'succeeded', text: null, cards: [], silent: true }
      this.#waiting.get(said.id)?.(reply)
      this.#waiting.delete(said.id)
    })
  }

  /** The one answer. A request that is sent again with the same id is not carried out again. */
  ask(request: Asked, id: string = randomUUID()): Promise<Reply> {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      const data = Buffer.from(JSON.stringify({ protocol: CHANNEL_PROTOCOL, id, ...request }))
      this.#bot._client.write('custom_payload', { channel: 'system:assistant_request_c2s', data })
    })
  }

  /** Presses a button by its label. */
  press({ buttons }: ChannelCard, label: string): Promise<Reply> | null {
    const token = buttons.find((button) => button.label === label)?.token
    return token === null || token === undefined ? null : this.ask({ type: 'button', token })
  }
}

/** What the cards of an answer say, and what can be pressed. */
export function tell({ text, cards }: Reply): readonly string[] {
  const shown = cards.flatMap((card) => (card.mode === 'REMOVE' ? [] : [card]))
  return [
    ...(text === null ? [] : [text]),
    ...shown.flatMap((card) => [...card.text, ...card.buttons.map(({ label }) => `[${label}]`)]),
  ]
}

const [host, port, question] = process.argv.slice(2)
if (host !== undefined && question !== undefined) {
  const bot = createBot({ host, port: Number(port), username: 'asker', auth: 'offline' })
  bot.once('spawn', () => {
    void new SystemClient(bot).ask({ type: 'chat', text: question }).then((reply) => {
      for (const line of tell(reply)) console.log(line)
      bot.quit()
    })
  })
}
