import t from 'tap'
import { renderChat, type RenderOptions } from '../../lib/cards/render/index.js'
import type { CardView } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { componentText, plain, translate, type Component } from '../../lib/text/index.js'
import { itemKeys, textEra, textSender, toNbt, useJavaStrings } from '../../plugins/squid/text/index.js'
import type { SquidClient, SquidServer } from '../../plugins/squid/types.js'
import { shippedLanguages } from '../support/catalogues.js'
import { allParts, decodeComponent } from '../support/component.js'
import { HOSTILE_TEXTS } from '../support/hostile-texts.js'
import { bootSquid, joinBot, joinRaw, nextEvent, VERSIONS, type RawClient } from '../support/squid.js'

const languages = shippedLanguages()

const view: CardView = {
  title: { key: 'system.request.nearest' },
  lines: [
    { kind: 'message', message: { key: 'system.failure.busy' }, tone: 'bad' },
    ...HOSTILE_TEXTS.map(([given]) => ({ kind: 'text', text: given }) as const),
    { kind: 'row', label: { key: 'system.request.thinking' }, value: '12' },
    { kind: 'item', item: identifier('minecraft:diamond'), name: 'Diamond', count: 3 },
    { kind: 'item', item: identifier('minecraft:stone'), name: 'Stone' },
  ],
  buttons: [
    {
      label: { key: 'system.request.thinking' },
      hover: { key: 'system.request.thinking' },
      action: { kind: 'server', module: identifier('system:help'), params: {} },
    },
    { label: { key: 'system.request.thinking' }, action: { kind: 'suggest', command: '/system ask ' } },
  ],
}

/** Each connection gets the strings that it reads. */
const JAVA_STRINGS: Parameters<typeof bootSquid>[2] = {
  plugins: { strings: [{ server: (serv) => serv._server.on('connection', useJavaStrings) }, {}] },
}

/** The sender, rendering options and writer of a running server. */
function surface(serv: SquidServer) {
  const era = textEra(serv)
  const sender = textSender(era, (client, name, params) => client.write(name, params))
  const options: RenderOptions = { lang: 'en_us', languages, token: () => 'tok', itemKey: itemKeys(era) }
  return { era, sender, options }
}

function clientOf(serv: SquidServer, username: string): SquidClient {
  const player = serv.getPlayer(username)
  if (player === null || player === undefined) throw new Error(`${username} is not on the server`)
  return player._client
}

interface Received {
  readonly component: Component
  readonly actionBar: boolean
}

/** The next system message whose text has that part: flying-squid announces joins in between. */
function nextMessage(client: RawClient, part: string): Promise<Received> {
  return new Promise((resolve) => {
    const listen = (message: Received): void => {
      if (componentText(message.component).includes(part)) resolve(message)
    }
    client.on('chat', ({ message, position }: Record<string, unknown>) =>
      listen({ component: decodeComponent(message), actionBar: position === 2 }),
    )
    client.on('system_chat', ({ content, isActionBar }: Record<string, unknown>) =>
      listen({ component: decodeComponent(content), actionBar: isActionBar === true }),
    )
  })
}

/** The component as the version's clients get it: those before 1.19.4 know no fallbacks. */
const withoutFallbacks = (component: Component): Component =>
  JSON.parse(
    JSON.stringify(component, (key, value: unknown) => (key === 'fallback' ? undefined : value)),
  ) as Component

for (const version of VERSIONS) {
  void t.test(`cards reach clients of ${version} as they are rendered`, async (t) => {
    const { serv, port, errors } = await bootSquid(t, version, JAVA_STRINGS)
    const raw = await joinRaw(t, port, version, 'alice')
    const bot = await joinBot(t, port, version, 'bob')
    const { era, sender, options } = surface(serv)
    const { pages } = renderChat(view, options)
    const drawn = Array.from({ length: pages }, (_, page) => renderChat(view, { ...options, page }).component)
    const events: unknown[] = []
    const translated: string[] = []
    for (const [page, card] of drawn.entries()) {
      const wanted = era.fallback ? card : withoutFallbacks(card)
      // each page has its title
      const received = nextMessage(raw, componentText(card).split('\n')[0] ?? '')
      sender.system(clientOf(serv, 'alice'), card)
      const { component, actionBar } = await received
      t.strictSame({ component, actionBar }, { component: wanted, actionBar: false }, `page ${page} whole`)
      events.push(...allParts(component).flatMap((part) => part.clickEvent ?? []))
      translated.push(...allParts(component).flatMap((part) => ('translate' in part ? part.translate : [])))
    }
    const turns = 2 * (pages - 1)
    const press = { action: 'run_command', value: '/system act tok' }
    const suggest = { action: 'suggest_command', value: '/system ask ' }
    t.strictSame(
      events.filter((event) => JSON.stringify(event) === JSON.stringify(suggest)).length,
      pages,
      'on each page',
    )
    t.strictSame(
      events.filter((event) => JSON.stringify(event) !== JSON.stringify(suggest)),
      Array.from({ length: pages + turns }, () => press),
      'no text brought an action with it',
    )
    t.match(translated, ['item.minecraft.diamond', 'block.minecraft.stone'])

    const last = drawn.at(-1) ?? { text: '' }
    const seen = nextEvent<{ toString(): string }>(bot, 'message', (m) => m.toString().includes('Diamond'))
    sender.system(clientOf(serv, 'bob'), last)
    t.equal((await seen).toString(), componentText(last), 'a bot reads the same text')

    const above = nextMessage(raw, '思考中')
    sender.actionBar(clientOf(serv, 'alice'), plain('思考中 😀', { color: 'gray' }))
    t.strictSame(await above, { component: { color: 'gray', text: '思考中 😀' }, actionBar: true })
    const bar = nextEvent<{ toString(): string }>(bot, 'actionBar')
    sender.actionBar(clientOf(serv, 'bob'), plain('思考中 😀'))
    t.equal((await bar).toString(), '思考中 😀')

    t.strictSame(errors, [])
    t.strictSame(raw.clientErrors, [])
  })

  void t.test(`odd components reach clients of ${version}`, async (t) => {
    const { serv, port, errors } = await bootSquid(t, version)
    const raw = await joinRaw(t, port, version, 'carol')
    const { era, sender } = surface(serv)
    const client = clientOf(serv, 'carol')
    const odd: [what: string, sent: Component, wanted: Component][] = [
      [
        'lone surrogates',
        { text: 'odd \ud83d', insertion: '\ude00' },
        { text: 'odd \ufffd', insertion: '\ufffd' },
      ],
      ['empty lists', { text: 'odd list', extra: [] }, { text: 'odd list' }],
      [
        'an unknown key',
        translate('mod.no.such.key', '100% sure'),
        era.fallback ? translate('mod.no.such.key', '100% sure') : { text: '100% sure' },
      ],
      [
        'a vanilla key with arguments',
        { translate: 'commands.seed.success', with: [{ text: 'x', bold: false }, plain('😀')] },
        { translate: 'commands.seed.success', with: [{ text: 'x', bold: false }, { text: '😀' }] },
      ],
    ]
    for (const [what, sent, wanted] of odd) {
      const received = nextMessage(raw, componentText(wanted))
      sender.system(client, sent)
      t.strictSame((await received).component, wanted, what)
    }
    const large = nextMessage(raw, '钻')
    sender.system(client, { text: '钻'.repeat(70_000) })
    t.match(componentText((await large).component), /^钻{9000,}…$/, 'a text above every limit is cut')

    if (era.nbt) {
      const mixed = nextMessage(raw, '%s')
      const content = toNbt({ translate: '%s', with: ['world', { text: 'W', color: 'red' }, 7, true] })
      client.write('system_chat', { content, isActionBar: false })
      const inner = [{ text: 'world' }, { text: 'W', color: 'red' }, { text: '7' }, { text: '1' }]
      t.strictSame((await mixed).component, { translate: '%s', with: inner }, 'a mixed list')
    }
    t.strictSame(errors, [])
    t.strictSame(raw.clientErrors, [])
  })

  void t.test(`each client of ${version} gets emoji in the form that it reads`, async (t) => {
    const { serv, port, errors } = await bootSquid(t, version, JAVA_STRINGS)
    const program = await joinRaw(t, port, version, 'dave')
    const java = await joinRaw(t, port, version, 'erin', { brand: 'vanilla' })
    const { era, sender } = surface(serv)
    const name = era.systemChat ? 'system_chat' : 'chat'
    const text = 'emoji 😀 钻石'
    // java.io.DataInput: each half of a surrogate pair as three bytes
    const utf8 = Buffer.from(text)
    const modified = Buffer.concat([
      Buffer.from('emoji '),
      Buffer.from('eda0bdedb880', 'hex'),
      Buffer.from(' 钻石'),
    ])
    for (const [who, client, bytes] of [
      ['a program', program, utf8],
      ['a Java client', java, era.nbt ? modified : utf8],
      ['a program, after the Java client', program, utf8],
    ] as const) {
      const packet = nextEvent<Buffer>(client, `raw.${name}`, (buffer) => buffer.includes('emoji '))
      sender.system(clientOf(serv, client.username), plain(text))
      const buffer = await packet
      const at = buffer.indexOf(bytes)
      t.ok(at > 0, who)
      if (era.nbt)
        t.equal(buffer.readUInt16BE(at - 2), bytes.length, `${who}: the length counts encoded bytes`)
    }
    t.strictSame(errors, [])
    t.strictSame(java.clientErrors, [])
  })
}
