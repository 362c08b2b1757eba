import { randomUUID } from 'node:crypto'
import t from 'tap'
import { identifier } from '../../lib/core/ids.js'
import { componentText, plain, translate, type Component } from '../../lib/text/index.js'
import { Hud } from '../../plugins/squid/hud/index.js'
import { safeWrite } from '../../plugins/squid/shield/index.js'
import { textEra, useJavaStrings } from '../../plugins/squid/text/index.js'
import type { SquidPlayer, SquidServer } from '../../plugins/squid/types.js'
import { decodeComponent } from '../support/component.js'
import { eventually } from '../support/eventually.js'
import { bootSquid, joinBot, joinRaw, nextEvent, VERSIONS, type RawClient } from '../support/squid.js'

const hudOf = (serv: SquidServer): Hud =>
  new Hud({
    serv,
    era: textEra(serv),
    write: safeWrite,
    newUuid: () => randomUUID(),
  })

function playerOf(serv: SquidServer, name: string): SquidPlayer {
  const player = serv.getPlayer(name)
  if (player === null || player === undefined) throw new Error(`${name} is not on the server`)
  return player
}

/** Text with all that components hold dear, and nothing that versions see differently. */
const RICH: Component = {
  text: '思考中 😀 &c %s ',
  color: 'aqua',
  extra: [plain('{"text":"@a"}', { bold: true })],
}

type Packet = Readonly<Record<string, unknown>> & { readonly name: string }

/** Packets of that kind that came since the last time, in their order. */
async function packets(client: RawClient, hud: Hud, player: SquidPlayer, kind: RegExp): Promise<Packet[]> {
  // a bar of a name that nothing else has is the last that comes
  const end = randomUUID()
  let uuid: unknown
  const last = nextEvent<Record<string, unknown>>(client, 'boss_bar', ({ action, title, entityUUID }) => {
    if (action === 0 && componentText(decodeComponent(title)) === end) uuid = entityUUID
    return action === 1 && entityUUID === uuid
  })
  hud.bossBar(player, end, { title: plain(end), share: 0 })
  hud.bossBar(player, end, null)
  await last
  const came = client.received
    .splice(0)
    .filter(({ name, data }) => kind.test(name) && data['entityUUID'] !== uuid)
  return came.map(({ name, data }) => ({ name, ...data }))
}

for (const version of VERSIONS) {
  void t.test(`what stands beside the chat reaches clients of ${version}`, async (t) => {
    const { serv, port, errors } = await bootSquid(t, version, {
      plugins: { strings: [{ server: (server) => server._server.on('connection', useJavaStrings) }, {}] },
    })
    const client = await joinRaw(t, port, version, 'alice')
    const other = await joinRaw(t, port, version, 'bob')
    const hud = hudOf(serv)
    const alice = playerOf(serv, 'alice')
    const isLegacy = serv.supportFeature('titleUsesLegacyPackets')
    const come = (kind: RegExp) => packets(client, hud, alice, kind)
    await come(/./)
    other.received.length = 0

    await t.test('the line above the hotbar', async (t) => {
      hud.actionBar(alice, RICH)
      const [line] = await come(/^(system_chat|chat)$/)
      t.strictSame(decodeComponent(line?.['content'] ?? line?.['message']), RICH)
      t.ok(line?.['isActionBar'] === true || line?.['position'] === 2)
    })

    await t.test('titles, with their times before their texts', async (t) => {
      hud.title(alice, RICH)
      hud.title(alice, plain('alone'))
      const came = await come(/title/)
      const texts = came.flatMap(({ text }) => (text === undefined ? [] : [decodeComponent(text)]))
      t.strictSame(texts, [{ text: '' }, RICH, { text: '' }, plain('alone')], 'no subtitle of before stays')
      const times = came.filter(({ stay }) => stay !== undefined)
      const usual = { fadeIn: 10, stay: 70, fadeOut: 20 }
      t.match(times, [usual, usual])
      const order = came.map(({ name, action }) => (isLegacy ? action : name))
      const once = isLegacy ? [3, 1, 0] : ['set_title_time', 'set_title_subtitle', 'set_title_text']
      t.strictSame(order, [...once, ...once])
    })

    await t.test('a boss bar from its first to its last packet', async (t) => {
      hud.bossBar(alice, 'work', { title: RICH, share: 0.25, color: 'blue' })
      hud.bossBar(alice, 'work', { title: RICH, share: 0.75, color: 'blue' })
      hud.bossBar(alice, 'work', { title: RICH, share: 0.75, color: 'blue' })
      hud.bossBar(alice, 'work', { title: plain('almost'), share: 7, color: 'green' })
      hud.bossBar(alice, 'other', { title: plain('other'), share: Number.NaN })
      hud.bossBar(alice, 'work', null)
      hud.bossBar(alice, 'work', null)
      hud.bossBar(alice, 'other', null)
      const came = await come(/boss_bar/)
      const [first] = came
      const entityUUID = came[5]?.['entityUUID']
      t.not(entityUUID, first?.['entityUUID'])
      t.strictSame(decodeComponent(first?.['title']), RICH)
      t.match(
        came.map(({ title: _title, ...fields }) => fields),
        [
          { action: 0, health: 0.25, color: 1, dividers: 0, flags: 0, entityUUID: first?.['entityUUID'] },
          { action: 2, health: 0.75 },
          { action: 2, health: 1 },
          { action: 3 },
          { action: 4, color: 3 },
          { action: 0, health: 0, color: 6, entityUUID },
          { action: 1, entityUUID: first?.['entityUUID'] },
          { action: 1, entityUUID },
        ],
      )
      t.equal(came.length, 8)
      t.strictSame(decodeComponent(came[3]?.['title']), plain('almost'))
    })

    await t.test('a toast, of which nothing stays', async (t) => {
      const name = translate('item.minecraft.diamond', 'Diamond')
      hud.toast(alice, { title: RICH, icon: identifier('minecraft:diamond'), frame: 'goal' })
      hud.toast(alice, { title: name, icon: identifier('mod:unknown') })
      const came = await come(/^advancements$/)
      t.equal(came.length, 6)
      const [added, completed, removed, second] = came as unknown as AdvancementPacket[]
      const [root, entry] = added?.advancementMapping ?? []
      t.equal(root?.key, 'system:toast/root')
      t.notOk(root?.value.displayData, 'what is below it appears on no tab')
      t.notOk(root?.value.parentId)
      t.equal(entry?.key, 'system:toast/shown')
      t.equal(entry?.value.parentId, root?.key)
      const display = entry?.value.displayData
      t.strictSame(decodeComponent(display?.title), RICH)
      t.match(display, {
        frameType: 2,
        icon: { itemId: serv.registry.itemsByName['diamond']?.id, itemCount: 1 },
      })
      t.match(display?.flags, { hidden: 1, show_toast: 1, has_background_texture: 0 })
      t.strictSame(entry?.value.requirements, [['shown']])
      t.strictSame(added?.progressMapping, [], 'added and completed at once, a client would show nothing')
      const [progress] = completed?.progressMapping ?? []
      t.equal(progress?.key, 'system:toast/shown')
      t.match(progress?.value, [{ criterionIdentifier: 'shown', criterionProgress: Object }])
      t.strictSame(removed?.identifiers, ['system:toast/shown', 'system:toast/root'])
      const shown = second?.advancementMapping[1]?.value.displayData
      t.match(shown, { frameType: 0, icon: { itemId: serv.registry.itemsByName['book']?.id } })
      t.ok(
        came.every(({ reset }) => reset === false),
        'advancements of others stay',
      )
    })

    await t.test('two hundred sounds, each one as it was meant', async (t) => {
      const names = ['minecraft:entity.experience_orb.pickup', 'minecraft:block.note_block.bell', 'a:b']
      const sent = Array.from({ length: 200 }, (_, index) => ({
        name: identifier(names[index % names.length] ?? ''),
        volume: 1,
        pitch: 1,
      }))
      for (const { name } of sent) {
        // what the pool of buffers holds is never zero
        Buffer.allocUnsafe(600).fill(0xff)
        hud.sound(alice, name)
      }
      const came = await come(/sound/)
      const { x, y, z } = alice.position
      t.strictSame(
        came.map((packet) => ({
          name: packet['soundName'] ?? (packet['sound'] as Sound | undefined)?.data?.soundName,
          volume: packet['volume'],
          pitch: packet['pitch'],
        })),
        sent,
      )
      t.ok(
        came.every((packet) => [packet['x'], packet['y'], packet['z']].join() === at(x, y, z)),
        'where the player stands',
      )
      t.ok(came.every(({ soundCategory }) => soundCategory === 'player' || soundCategory === 7))
    })

    t.strictSame(
      other.received.filter(({ name }) => /boss|title|advancements|sound/.test(name)),
      [],
    )
    t.strictSame(errors, [])
    t.strictSame(client.clientErrors, [])
  })

  void t.test(`odd calls hurt no connection of ${version}`, async (t) => {
    const { serv, port, errors } = await bootSquid(t, version)
    const client = await joinRaw(t, port, version, 'carol')
    const hud = hudOf(serv)
    const carol = playerOf(serv, 'carol')
    const large: Component = { text: '钻'.repeat(70_000) }
    const deep = Array.from({ length: 600 }).reduce<Component>(
      (inner) => ({ text: 'x', extra: [inner] }),
      plain('y'),
    )
    for (const text of [large, deep, { text: '\ud83d' }]) {
      hud.actionBar(carol, text)
      hud.title(carol, text)
      hud.bossBar(carol, 'odd', { title: text, share: Number.POSITIVE_INFINITY })
      hud.toast(carol, { title: text, icon: identifier('minecraft:__proto__') })
    }
    const { position } = carol
    carol.position = { x: Number.NaN, y: 3e300, z: 0 }
    hud.sound(carol, identifier(`a:${'b'.repeat(254)}`))
    carol.position = position
    hud.sound(carol, identifier(`a:${'b'.repeat(254)}`))
    const came = await packets(client, hud, carol, /boss|title|advancements|sound|chat/)
    t.equal(came.filter(({ name }) => name === 'advancements').length, 9)
    t.match(
      came.filter(({ name }) => /sound/.test(name)),
      [{ volume: 1, pitch: 1 }],
      'a place that is none is no packet',
    )
    t.strictSame(errors, [])
    t.strictSame(client.clientErrors, [])
  })

  void t.test(`bars of ${version} end with the stay of their player`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    const hud = hudOf(serv)
    const first = await joinRaw(t, port, version, 'dave')
    const before = playerOf(serv, 'dave')
    const shown = nextEvent<Record<string, unknown>>(first, 'boss_bar')
    hud.bossBar(before, 'work', { title: plain('one'), share: 1 })
    const { entityUUID } = await shown
    const gone = nextEvent(before, 'disconnected')
    first.end()
    await gone
    hud.bossBar(before, 'work', { title: plain('two'), share: 1 })
    hud.actionBar(before, plain('late'))
    hud.title(before, plain('late'))
    hud.toast(before, { title: plain('late'), icon: identifier('minecraft:book') })
    hud.sound(before, identifier('a:b'))
    await eventually(() => serv.getPlayer('dave') === null || serv.getPlayer('dave') === undefined)
    const bot = await joinBot(t, port, version, 'dave')
    const again = playerOf(serv, 'dave')
    const created = nextEvent<{ title: { toString(): string }; entityUUID: string }>(bot, 'bossBarCreated')
    hud.bossBar(again, 'work', { title: plain('two'), share: 0.5 })
    const bar = await created
    t.equal(bar.title.toString(), 'two')
    t.not(bar.entityUUID, entityUUID)
  })
}

interface AdvancementPacket {
  readonly advancementMapping: readonly {
    readonly key: string
    readonly value: {
      readonly parentId?: string
      readonly displayData?: { readonly title: unknown; readonly flags: unknown }
      readonly requirements: unknown
    }
  }[]
  readonly identifiers: readonly string[]
  readonly progressMapping: readonly { readonly key: string; readonly value: unknown }[]
}
interface Sound {
  readonly data?: { readonly soundName: string }
}
const at = (x: number, y: number, z: number): string => [x, y, z].map((n) => Math.round(n * 8)).join()
