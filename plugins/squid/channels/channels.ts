import {
  CHANNEL_PROTOCOL,
  channelRequestSchema,
  decodeRequest,
  splitResponse,
  usageRequestSchema,
  type BadRequest,
  type ChannelRequest,
  type ChannelResponse,
  type UsageRequest,
} from '../../../lib/channels/index.js'
import { failure } from '../../../lib/core/failure.js'
import type { Logger } from '../../../lib/core/logger.js'
import { playerReport } from '../../../lib/usage/index.js'
import { guarded } from '../guarded.js'
import { idOf, type Players } from '../players.js'
import { Requests, type Asker, type Limits } from '../requests.js'
import { safeWrite } from '../shield/index.js'
import type { SquidClient, SquidPlayer, SquidServer } from '../types.js'
import { ReplySurface, type ReplyParts } from './reply-surface.js'
import { historyOf, stateOf } from './standing.js'

const ASSISTANT = {
  request: 'system:assistant_request_c2s',
  response: 'system:assistant_response_s2c',
} as const
const USAGE = {
  request: 'system:token_usage_request_c2s',
  response: 'system:token_usage_response_s2c',
} as const

/** What the channels are made of. */
export interface ChannelsParts extends ReplyParts {
  readonly serv: SquidServer
  readonly players: Pick<Players, 'arriving'>
  readonly limits: Limits
  readonly logger: Logger
}

/**
 * Protocol 1 for clients that are programs: requests and answers as JSON on plugin channels, with the rights, limits and
 * ways of commands. A payload that is refused closes nothing: it has its refusal as an answer.
 */
export class Channels {
  readonly #parts: ChannelsParts
  readonly #detach = new Map<SquidPlayer, () => void>()
  /** Who has asked on a channel during this stay: they are told there what nobody asked for. */
  readonly #programs = new WeakSet<SquidPlayer>()
  #number = 0

  constructor(parts: ChannelsParts) {
    this.#parts = parts
    parts.serv.on('newPlayer', this.#attach)
    for (const player of parts.serv.players) this.#attach(player)
  }

  close(): void {
    this.#parts.serv.removeListener('newPlayer', this.#attach)
    for (const detach of this.#detach.values()) detach()
  }

  /** Tells a player's program, if there is one, what nobody asked for. */
  tell(player: SquidPlayer, response: Extract<ChannelResponse, { type: 'notification' | 'binding' }>): void {
    if (!this.#programs.has(player)) return
    guarded(this.#parts.logger, 'what a program is told', () => this.#answer(player._client, response))()
  }

  readonly #attach = (player: SquidPlayer): void => {
    const { logger } = this.#parts
    const client = player._client
    const listen = guarded(logger, 'a payload', (packet: unknown) => this.#payload(player, packet))
    const detach = (): void => {
      client.removeListener('custom_payload', listen)
      player.removeListener('disconnected', detach)
      this.#detach.delete(player)
    }
    client.on('custom_payload', listen)
    player.on('disconnected', detach)
    this.#detach.set(player, detach)
  }

  async #payload(player: SquidPlayer, packet: unknown): Promise<void> {
    const { channel, data } = packet as { readonly channel?: unknown; readonly data?: unknown }
    if ((channel !== ASSISTANT.request && channel !== USAGE.request) || !Buffer.isBuffer(data)) return
    // who asks at once after joining shall not hear that there is no System
    await this.#parts.players.arriving(player)
    const id = idOf(player)
    if (id === null || player.disconnected === true) return
    const asker = { player, id }
    if (channel === USAGE.request) return this.#usage(asker, data)
    const read = decodeRequest(channelRequestSchema, data)
    if (!read.ok) return this.#refuse(asker, read.bad)
    this.#programs.add(player)
    return this.#request(asker, read.value)
  }

  /** Whatever happens, the request has its one answer. */
  async #request(asker: Asker, request: ChannelRequest): Promise<void> {
    const { runtime, limits } = this.#parts
    const { player, id } = asker
    const surface = new ReplySurface(this.#parts, request.id, (reply) => this.#answer(player._client, reply))
    // for a program silence is no answer
    const take: Limits['take'] = (...kind) => (limits.take(...kind) === 'ok' ? 'ok' : 'notice')
    const ended = runtime.sessions.stay(id)
    try {
      await this.#run(asker, request, { surface, requests: new Requests(runtime, surface, { take }) })
      const reason = ended()
      if (reason !== null) surface.failure(player, reason)
    } catch (thrown) {
      surface.failure(player, failure('system:internal'))
      throw thrown
    } finally {
      surface.end()
    }
  }

  async #run(
    asker: Asker,
    request: ChannelRequest,
    { surface, requests }: { readonly surface: ReplySurface; readonly requests: Requests },
  ): Promise<void> {
    const { runtime } = this.#parts
    const requestId = request.id
    switch (request.type) {
      case 'chat':
        return requests.ask(asker, { kind: 'text', text: request.text }, { requestId })
      case 'module': {
        const { module, input } = request
        return requests.ask(asker, { kind: 'action', source: 'structured', module, input }, { requestId })
      }
      case 'button':
        return requests.press(asker, request.token)
      case 'preference': {
        const { name, value: to } = request
        if (requests.mayDo(asker, 'act'))
          await requests.settings.run(asker, { kind: 'change', change: { name, to } })
        return
      }
      case 'control':
        if (request.control === 'cancel') return requests.cancel(asker)
        if (!requests.mayDo(asker, 'act')) return
        return surface.answer(
          request.control === 'state'
            ? stateOf(runtime, asker.id, requestId)
            : historyOf(runtime, asker.id, { id: requestId, page: request.page ?? 1 }),
        )
    }
  }

  #usage(asker: Asker, data: Uint8Array): void {
    const { runtime, limits } = this.#parts
    const read = decodeRequest(usageRequestSchema, data)
    if (!read.ok) return this.#refuse(asker, read.bad)
    const { id, open }: UsageRequest = read.value
    const isOften = limits.take(asker.id, 'act') !== 'ok'
    const denied = isOften ? failure('system:rate_limited') : runtime.access.check(asker.id, null)
    const { dailyModelCalls } = runtime.live.config['system-agent']
    const usage = denied === null ? playerReport(runtime.usage.ledger, asker.id, dailyModelCalls) : null
    this.#write(asker.player._client, USAGE.response, {
      id,
      open,
      usage,
      ...(denied === null ? {} : { code: denied.code }),
    })
  }

  /** One answer to each, within the limit of what may be asked: a flood of nonsense is met with silence. */
  #refuse({ player, id }: Asker, bad: BadRequest): void {
    if (this.#parts.limits.take(id, 'act') !== 'ok') return
    this.#answer(player._client, { type: 'refused', ...bad, supported: CHANNEL_PROTOCOL })
  }

  #answer(client: SquidClient, response: ChannelResponse): void {
    this.#write(client, ASSISTANT.response, response)
  }

  /** Throws what can't be sent: it is no JSON, or too large. Nothing of it has been sent then. */
  #write(client: SquidClient, channel: string, response: object): void {
    this.#number = (this.#number + 1) >>> 0
    const bytes = Buffer.from(JSON.stringify({ protocol: CHANNEL_PROTOCOL, ...response }))
    for (const part of splitResponse(bytes, this.#number))
      safeWrite(client, 'custom_payload', { channel, data: Buffer.from(part) })
  }
}
