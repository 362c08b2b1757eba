/** Programs at plugin channels, on a real server: asked and answered in types, with the rights of commands. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import { FAST_POLICY, type Registration } from '../../lib/agent/index.js'
import { SystemClient, tell } from '../../examples/mineflayer-client.js'
import { ResponseReader, type ChannelResponse, type UsageResponse } from '../../lib/channels/index.js'
import { identifier } from '../../lib/core/ids.js'
import { componentText, type Component } from '../../lib/text/index.js'
import { allParts } from '../support/component.js'
import { eventually } from '../support/eventually.js'
import { openLive, watchProcess, type Seat } from '../support/live-system.js'
import { consoleSays, joinReader, openSystem, type Reader } from '../support/system.js'
import { joinBot } from '../support/squid.js'
import { DEFAULT_VERSION, VERSIONS } from '../support/versions.js'

const REQUEST = 'system:assistant_request_c2s'
const USAGE = 'system:token_usage_request_c2s'

type Said = ChannelResponse & { readonly protocol: number }

/** A program at a client's channels. */
class Program {
  readonly said: Said[] = []
  readonly usage: (UsageResponse & { readonly protocol: number })[] = []
  /** The largest payload that has come, bytes. */
  largest = 0
  readonly #reader: Reader
  readonly #parts = new ResponseReader()

  constructor(reader: Reader) {
    this.#reader = reader
    reader.client.on('custom_payload', ({ channel, data }: { channel: string; data: Buffer }) => {
      if (!/^system:.*_response_s2c$/.test(channel)) return
      this.largest = Math.max(this.largest, data.byteLength)
      const whole = this.#parts.take(data)
      if (whole === null) return
      const said = JSON.parse(Buffer.from(whole).toString('utf8')) as never
      if (channel === 'system:assistant_response_s2c') this.said.push(said)
      else this.usage.push(said)
    })
  }

  send(data: unknown, channel = REQUEST): void {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.from(JSON.stringify(data))
    this.#reader.client.write('custom_payload', { channel, data: bytes })
  }

  /** Asks, and gives the answer with the request's id. */
  async ask(request: object, id: string = randomUUID()): Promise<Said> {
    const before = this.said.length
    this.send({ protocol: 1, id, ...request })
    const answer = (): Said | undefined => this.said.slice(before).find((one) => 'id' in one && one.id === id)
    await eventually(() => answer() !== undefined)
    return answer() as Said
  }
}

function extension(runs: string[]): (registration: Registration) => void {
  return (registration) => {
    registration.extension('test')
    registration.texts('en_us', { 'test.help': 'Count', 'test.count': 'Count {n}', 'test.long': 'Long' })
    registration.cardType({
      id: identifier('test:count'),
      schema: z.strictObject({ n: z.int(), long: z.string() }),
      build: ({ n, long }: { n: number; long: string }) => ({
        title: { key: 'test.count', params: { n } },
        lines: [
          { kind: 'text', text: n === BROKEN ? (null as unknown as string) : long },
          {
            kind: 'entry',
            title: { key: 'test.long' },
            action: { kind: 'server', module: identifier('test:count'), params: { n: '100' } },
          },
        ],
        buttons: [
          {
            label: { key: 'test.help' },
            action: { kind: 'server', module: identifier('test:count'), params: { n: String(n + 1) } },
          },
          {
            label: { key: 'test.long' },
            action: { kind: 'suggest', command: `/system ask ${'x'.repeat(300)}` },
          },
        ],
      }),
    })
    registration.module({
      id: identifier('test:count'),
      version: 1,
      action: z.strictObject({
        n: z.coerce.number().int().min(0),
        long: z.boolean().optional(),
        size: z.int().optional(),
      }),
      description: 'Counts.',
      help: { key: 'test.help' },
      tools: [],
      policy: FAST_POLICY,
      routing: {
        selection: 'NORMAL',
        command: { name: 'count' },
        fromCommand: () => ({ n: 1, long: true }),
      },
      execute(context, { n, long, size = 60_000 }) {
        runs.push(context.requestId)
        const card = {
          type: identifier('test:count'),
          data: { n, long: long === true ? '€'.repeat(size) : 'short' },
        }
        return Promise.resolve({
          status: 'succeeded',
          message: null,
          cards: [
            context.card === null ? { mode: 'SHOW', card } : { mode: 'REPLACE', ref: context.card, card },
          ],
        })
      },
    })
  }
}

/** What the card of this many can't be drawn of. */
const BROKEN = 13

const count = (n: number, more = {}) => ({ type: 'module', module: 'test:count', input: { n, ...more } })
const programOf = ({ reader }: Seat): Program => new Program(reader)

void t.test('an answer in types, and its buttons: each once', async (t) => {
  const runs: string[] = []
  const live = await openLive(t, { register: extension(runs) })
  const alice = await live.join('alice')
  const program = programOf(alice)
  const id = randomUUID()
  const first = await program.ask(count(1), id)
  t.match(first, { protocol: 1, type: 'reply', id, status: 'succeeded', text: null })
  if (first.type !== 'reply') throw new Error('no reply')
  const [card] = first.cards
  if (card === undefined || card.mode === 'REMOVE') throw new Error('no card')
  t.match(card, { mode: 'SHOW', revision: 1, type: 'test:count', data: { n: 1, long: 'short' } })
  t.strictSame(card.text, ['Count 1', 'short', 'Long'])
  t.strictSame(
    card.buttons.map(({ label, token, command }) => [label, token === null ? command : 'token']),
    [
      ['Count', 'token'],
      ['Long', `/system ask ${'x'.repeat(244)}`],
      ['Long', 'token'],
    ],
  )
  const token = card.buttons[0]?.token ?? ''
  const second = await program.ask({ type: 'button', token })
  t.match(second, {
    type: 'reply',
    status: 'succeeded',
    cards: [{ mode: 'REPLACE', id: card.id, revision: 2 }],
  })
  t.match(await program.ask({ type: 'button', token }), { status: 'failed', code: /^system:token_/ })
  t.match(await program.ask({ type: 'button', token: 'nonsense' }), { code: 'system:token_unknown' })

  t.strictSame(runs.length, 2)
  t.match(await program.ask(count(1), id), { status: 'succeeded' }, 'the same request again')
  t.equal(runs.length, 2, 'is not run again')
  t.match(await program.ask(count(2), id), { status: 'failed', code: 'system:receipt_mismatch' })
  t.strictSame(await alice.rest(), [], 'nothing of it is in the chat')
  t.strictSame(live.stray, [])
})

void t.test('a large answer comes in parts, whole', async (t) => {
  const live = await openLive(t, { register: extension([]) })
  const program = programOf(await live.join('alice'))
  const reply = await program.ask(count(1, { long: true }))
  t.match(reply, { type: 'reply', cards: [{ data: { long: '€'.repeat(60_000) } }] })
  t.ok(program.largest <= 65_536)
  for (const [what, request] of [
    ['above a mebibyte', count(1, { long: true, size: 400_000 })],
    ['that cannot be drawn', count(BROKEN)],
  ] as const)
    t.match(await program.ask(request), { type: 'reply', status: 'failed', code: 'system:internal' }, what)
  t.match(await program.ask(count(2)), { status: 'succeeded' }, 'and the next is an answer again')
})

void t.test('a button that only leads on is a navigation; where it leads nowhere, a failure', async (t) => {
  const live = await openLive(t, { register: extension([]) })
  const alice = await live.join('alice')
  const program = programOf(alice)
  const tokens = (card: Component): string[] =>
    allParts(card).flatMap(({ clickEvent }) =>
      clickEvent?.value.startsWith('/system act ') === true ? [clickEvent.value.slice(12)] : [],
    )
  const typed = await alice.reader.ask('/system count')
  const on = allParts(typed).find((part) => part.clickEvent !== undefined && componentText(part) === '›')
  const id = randomUUID()
  const token = on?.clickEvent?.value.slice(12) ?? ''
  const led = await program.ask({ type: 'button', token }, id)
  if (led.type !== 'navigation') throw new Error(`no navigation: ${JSON.stringify(led)}`)
  t.strictSame(led, { protocol: 1, type: 'navigation', id, card: led.card, to: { page: 1 } })
  const next = await alice.reader.next()
  t.match(componentText(next), /2/, 'the player sees the page')
  t.notOk(tokens(next).includes(token))
  const nowhere = live.runtime.tokens.issue(
    alice.id,
    { id: 'gone', revision: 1 },
    { kind: 'local', show: 'back' },
  )
  const failed = await program.ask({ type: 'button', token: nowhere })
  t.match(failed, { type: 'reply', status: 'failed', code: 'system:token_outdated' })
  t.strictSame(await alice.rest(), [], 'and nothing else is said')
  t.strictSame(live.stray, [])
})

void t.test('control, preferences and usage', async (t) => {
  const live = await openLive(t, { register: extension([]) })
  const alice = await live.join('alice')
  const program = programOf(alice)
  const state = await program.ask({ type: 'control', control: 'state' })
  t.match(state, { type: 'state', system: 'system:default', level: 'route', running: null })
  t.ok(state.type === 'state' && state.modules.includes(identifier('test:count')))
  t.match(await program.ask({ type: 'control', control: 'cancel' }), { code: 'system:nothing_to_cancel' })
  await program.ask(count(1))
  t.match(await program.ask({ type: 'control', control: 'history' }), { type: 'history', page: 1, pages: 1 })
  t.match(await program.ask({ type: 'button', token: 'nonsense' }), { code: 'system:token_unknown' })
  t.strictSame(
    program.said.map(({ type }) => type),
    ['state', 'reply', 'reply', 'history', 'reply'],
    'each has one answer',
  )
  t.match(await program.ask({ type: 'preference', name: 'sounds', value: 'off' }), {
    type: 'reply',
    status: 'succeeded',
    cards: [{ type: 'system:settings', data: { sounds: false } }],
  })
  t.equal(live.runtime.preferences.of(alice.id).sounds, false)
  t.match(await program.ask({ type: 'preference', name: 'freeChat', value: 'off' }), {
    status: 'succeeded',
    cards: [{ data: { freeChat: false } }],
  })
  t.equal(live.runtime.preferences.of(alice.id).freeChat, false)
  t.match(await program.ask({ type: 'preference', name: 'language', value: 'de_de' }), {
    status: 'failed',
    code: 'system:not_understood',
  })
  const id = randomUUID()
  program.send({ protocol: 1, id, open: true }, USAGE)
  await eventually(() => program.usage.length === 1)
  t.match(program.usage[0], { protocol: 1, id, open: true, usage: { today: { counts: { calls: 0 } } } })
})

void t.test('rights are those of commands; what changes a binding is told', async (t) => {
  // as on a host that lets an account in twice
  const config = { 'system-surface': { shield: { limits: false, sessions: false, playerdata: false } } }
  const live = await openLive(t, { config, register: extension([]) })
  const alice = await live.join('alice')
  const program = programOf(alice)
  t.match(await program.ask({ type: 'module', module: 'test:none', input: {} }), {
    code: 'system:not_understood',
  })
  t.match(await program.ask({ type: 'module', module: 'test:count', input: { n: -1 } }), {
    code: 'system:not_understood',
  })
  const told = program.said.length
  await consoleSays(live, 'system revoke alice')
  await eventually(() => program.said.length > told)
  t.match(program.said.at(-1), { type: 'binding', system: null })
  t.match(await program.ask(count(1)), { status: 'failed', code: 'system:not_bound' })
  t.match(await program.ask({ type: 'control', control: 'state' }), { system: null, modules: [] })
  const id = randomUUID()
  program.send({ protocol: 1, id, open: false }, USAGE)
  await eventually(() => program.usage.length === 1)
  t.match(program.usage[0], { id, usage: null, code: 'system:not_bound' })

  const again = new Program(await joinReader(t, live, 'alice'))
  t.match(await again.ask(count(1)), { status: 'succeeded' })
  await alice.leave()
  const before = again.said.length
  await consoleSays(live, 'system revoke alice')
  await eventually(() => again.said.length > before)
  t.match(again.said.at(-1), { type: 'binding', system: null }, 'the end of another stay is not its')
})

void t.test('payloads that are no requests are refused, and close nothing', async (t) => {
  const config = { 'system-surface': { shield: { limits: true } } }
  const live = await openLive(t, { config, register: extension([]) })
  const alice = await live.join('alice')
  const program = programOf(alice)
  const refusals: [unknown, string][] = [
    [{ protocol: 2, id: randomUUID(), ...count(1) }, 'protocol'],
    [{ protocol: 1, id: randomUUID(), type: 'fly' }, 'malformed'],
    [Buffer.alloc(32_768), 'too_large'],
    [Buffer.from([0xff, 0xfe]), 'not_json'],
  ]
  for (const [payload, reason] of refusals) {
    const before = program.said.length
    program.send(payload)
    await eventually(() => program.said.length > before)
    t.match(program.said.at(-1), { type: 'refused', reason, supported: 1 })
  }
  for (let n = 0; n < 200; n += 1) program.send(Buffer.from('{'))
  await eventually(() => program.said.length > refusals.length)
  t.ok(program.said.length < 40, `${program.said.length} answers to a flood`)

  const ids = Array.from({ length: 40 }, () => randomUUID())
  for (const id of ids) program.send({ protocol: 1, id, open: false }, USAGE)
  await eventually(() => program.usage.length === ids.length)
  t.strictSame(
    program.usage.map(({ id }) => id),
    ids,
    'what is a request is answered each time',
  )
  t.match(program.usage.at(-1), { usage: null, code: 'system:rate_limited' })
  for (const request of [
    { type: 'control', control: 'state' },
    { type: 'button', token: 'nonsense' },
  ]) {
    const late = await Promise.all(ids.map(() => program.ask(request)))
    t.match(late.at(-1), { type: 'reply', status: 'failed', code: 'system:rate_limited' })
    t.notOk(late.some((answer) => answer.type === 'reply' && answer.status === 'succeeded'))
  }
  t.equal(alice.player.disconnected === true, false)
  t.strictSame(live.stray, [])
})

for (const version of VERSIONS)
  void t.test(`${version}: there and back`, async (t) => {
    const stray = watchProcess(t)
    const system = await openSystem(t, version, { register: extension([]) })
    const program = new Program(await joinReader(t, system, 'alice'))
    t.match(await program.ask(count(5)), { type: 'reply', status: 'succeeded', cards: [{ data: { n: 5 } }] })
    t.strictSame(stray, [])
  })

void t.test('the example: a bot asks, reads and presses', async (t) => {
  const live = await openLive(t, { register: extension([]) })
  const bot = await joinBot(t, live.port, DEFAULT_VERSION, 'asker')
  const client = new SystemClient(bot as unknown as ConstructorParameters<typeof SystemClient>[0])
  const reply = await client.ask({ type: 'module', module: 'test:count', input: { n: 1 } })
  t.strictSame(tell(reply), ['Count 1', 'short', 'Long', '[Count]', '[Long]', '[Long]'])
  const [card] = reply.cards
  if (card === undefined || card.mode === 'REMOVE') throw new Error('no card')
  t.match(await client.press(card, 'Count'), { cards: [{ data: { n: 2 } }] })
  t.match(await client.ask({ type: 'chat', text: 'what am I holding?' }), { status: 'succeeded' })
})
