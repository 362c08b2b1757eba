/** One player sends two thousand packets that no honest client sends; the server, its things and the others don't notice. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { SquidItem, SquidPlayer, SquidServer } from '../../plugins/squid/types.js'
import { isServed, playerOf } from '../plugins/squid/shield/support.js'
import { makeItem } from '../plugins/squid/windows/stage.js'
import { ClientView } from '../support/client-view.js'
import { PacketFuzz, SeededRandom } from '../support/packet-fuzz.js'
import { ShiftedClock } from '../support/shifted-clock.js'
import { clientSettings, joinRaw, VERSIONS, type RawClient } from '../support/squid.js'
import {
  buttonsOf,
  joinReader,
  openSystem,
  temporaryFolder,
  type Reader,
  type SystemServer,
} from '../support/system.js'

const SEED = 61_201
const PACKETS = 2_000
/** Of the System, in all. */
const LOG_LINES = 10
const THINGS = {
  9: ['dirt', 64],
  12: ['diamond', 3],
  20: ['ender_pearl', 16],
  36: ['iron_helmet', 1],
  40: ['dirt', 7],
} as const
/** Packets that come as the protocol's definition allows. */
const OTHERS =
  /^(?:edit_book|name_item|select_trade|craft_recipe_request|update_sign|pick_item.*|held_item_slot|close_window|update_command_block|displayed_recipe|recipe_book|set_beacon_effect|set_slot_state|tab_complete|window_click|set_creative_slot|enchant_item|query_.*)$/

interface Inside {
  readonly serializer: { createPacketBuffer(packet: { name: string; params: unknown }): Buffer }
  writeRaw(packet: Buffer): void
}

for (const version of VERSIONS) {
  void t.test(version, async (t) => {
    const cpu = process.cpuUsage()
    const clock = new ShiftedClock()
    const squid = { worldFolder: join(await temporaryFolder(t), 'world') }
    const system = await openSystem(t, version, {
      clock,
      squid,
      config: { 'system-surface': { shield: {} } },
    })
    const { serv, port } = system
    const alice = await joinReader(t, system, 'alice')
    await alice.next()
    const mallory = await joinRaw(t, port, version, 'mallory')
    for (const name of ['alice', 'mallory']) endow(serv, playerOf(serv, name))
    const card = await alice.ask('/system item piston')
    const [button] = buttonsOf(card)
    const token = button?.command.split(' ').at(-1) ?? ''
    t.ok(token.length > 20, 'a button of alice')
    const before = {
      all: totals(serv),
      alice: thingsOf(playerOf(serv, 'alice')),
      mallory: thingsOf(playerOf(serv, 'mallory')),
      lines: linesOf(system).length,
    }

    const attack = new Attack(version, clock, { token, serv })
    const view = await attack.run(t, { mallory, port, alice })

    t.equal(totals(serv), before.all, 'nothing is gained or lost')
    t.equal(thingsOf(playerOf(serv, 'alice')), before.alice)
    t.not(thingsOf(playerOf(serv, 'mallory')), before.mallory, 'she has moved things')
    t.equal(view.things, thingsOf(playerOf(serv, 'mallory')), 'she sees what she has')
    const lines = linesOf(system).slice(before.lines)
    t.ok(lines.length <= LOG_LINES, `${lines.length} lines: ${lines.join('\n')}`)
    await alice.rest()
    t.match(await answerTo(alice, button?.command ?? ''), /Piston/i, "alice's button is her own, and unused")
    t.notMatch(
      JSON.stringify(alice.client.received),
      'x'.repeat(257),
      'she has read nothing that is too long',
    )
    t.strictSame(alice.client.clientErrors, [])
    t.notOk(alice.client.ended)
    const { user, system: kernel } = process.cpuUsage(cpu)
    t.comment(`${Math.round((user + kernel) / 1_000)} ms of CPU`)
  })
}

class Attack {
  readonly #random = new SeededRandom(SEED)
  readonly #fuzz: PacketFuzz
  readonly #others: readonly string[]
  readonly #sent = new Map<string, number>()
  readonly #windows = new Set<number>()

  constructor(
    private readonly version: string,
    private readonly clock: ShiftedClock,
    private readonly aim: { readonly token: string; readonly serv: SquidServer },
  ) {
    this.#fuzz = new PacketFuzz(version, this.#random)
    this.#others = this.#fuzz.names.filter((name) => OTHERS.test(name))
  }

  /** Sends all, and gives what the attacker's client shows in the end. */
  async run(
    t: Test,
    { mallory, port, alice }: { mallory: RawClient; port: number; alice: Reader },
  ): Promise<ClientView> {
    let client = mallory
    let view = new ClientView(client)
    client.say('/system settings surface window')
    for (let count = 0; count < PACKETS; count += 1) {
      if (client.ended === true) {
        client = await joinRaw(t, port, this.version, 'mallory')
        view = new ClientView(client)
      }
      this.#send(client, view)
      if (view.window !== null) this.#windows.add(view.window.id)
      // some come in bursts
      this.clock.advance(this.#random.int(0, count % 500 < 100 ? 1 : 60))
      if (count % 100 === 0) t.match(await answerTo(alice, '/system me'), /Health/, 'alice is served')
    }
    client.say('/system settings surface chat')
    this.clock.advance(1_000)
    const last = isServed(client)
    view.click(-999, 2, 5, { windowId: 0 })
    await last
    t.ok(
      [...this.#sent.values()].every((times) => times > 20),
      JSON.stringify([...this.#sent]),
    )
    return view
  }

  #send(client: RawClient, view: ClientView): void {
    const random = this.#random
    const kinds: Record<string, () => void> = {
      click: () => this.#click(view),
      creative: () =>
        this.#raw(client, 'set_creative_slot', { slot: random.int(-2, 50), item: this.#item() }),
      complete: () =>
        this.#raw(client, 'tab_complete', { transactionId: random.int(-5, 5), text: this.#line() }),
      payload: () => this.#raw(client, 'custom_payload', this.#payload()),
      settings: () => this.#raw(client, 'settings', this.#settings()),
      say: () => client.say(this.#line()),
      other: () => {
        const name = random.pick(this.#others)
        this.#raw(client, name, this.#fuzz.fields(name))
      },
    }
    const kind = random.pick(['click', 'click', 'click', ...Object.keys(kinds)])
    this.#sent.set(kind, (this.#sent.get(kind) ?? 0) + 1)
    kinds[kind]?.()
  }

  /** As bytes, since a packet that can't be made would silence the client. */
  #raw(client: RawClient, name: string, params: unknown): void {
    const { serializer, writeRaw } = client as unknown as Inside
    let bytes: Buffer
    try {
      bytes = serializer.createPacketBuffer({ name, params })
    } catch {
      return
    }
    Reflect.apply(writeRaw, client, [bytes])
  }

  #click(view: ClientView): void {
    const random = this.#random
    const windowId = random.next() < 0.6 ? {} : { windowId: random.pick([0, 0, 1, 101, 105, 120, 127]) }
    const slot = random.next() < 0.9 ? random.int(0, 60) : random.pick([-999, -1, 500, -32_768])
    view.click(slot, random.pick([0, 0, 1, 2, 4, 5, 6, 40]), random.int(-1, 7), {
      ...windowId,
      stateId: random.pick([view.stateId, 0, -1, 30_000]),
    })
  }

  #settings(): unknown {
    const random = this.#random
    const locale = random.pick(['en_us', 'zh_cn', '', '../../x', 'x'.repeat(2_000), '__proto__'])
    return { ...clientSettings(locale), viewDistance: random.int(-128, 127), chatFlags: random.int(0, 2) }
  }

  #item(): unknown {
    const random = this.#random
    if (random.next() < 0.2) return { present: false, itemCount: 0 }
    const itemId = random.int(0, 900)
    const itemCount = random.pick([1, 64, 127, -1, 0])
    const nothing = { addedComponentCount: 0, removedComponentCount: 0, components: [], removeComponents: [] }
    return { present: true, itemId, itemCount, nbtData: undefined, ...nothing }
  }

  #line(): string {
    const { token } = this.aim
    const long = 'x'.repeat(this.#random.pick([200, 300, 2_000, 30_000]))
    return this.#random.pick([
      `/system act ${token}`,
      `/system act ${token.slice(1)}A`,
      `/system act ${long}`,
      `/system ask ${long}`,
      `/system ${long}`,
      `@system ${long}`,
      '/system help',
      '/system item piston',
      `/me ${long}`,
      `/${long}`,
      long,
      '/constructor',
      '/kill @z',
      '/give mallory diamond 64',
      `/tell alice ${token}`,
    ])
  }

  #payload(): { channel: string; data: Buffer } {
    const random = this.#random
    const { token } = this.aim
    const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
    return {
      channel: random.pick([
        'system:assistant_request_c2s',
        'system:assistant_request_c2s',
        'system:token_usage_request_c2s',
        'minecraft:brand',
        'minecraft:register',
        'a:b',
        'x'.repeat(300),
      ]),
      data: random.pick([
        () => random.bytes(random.int(0, 300)),
        () => Buffer.alloc(random.pick([32_000, 70_000, 200_000]), 0x5b),
        () => json({ protocol: 1, id: 'a', type: 'button', token }),
        () => json({ protocol: 1, id: 'a', type: 'chat', text: 'y'.repeat(30_000) }),
        () =>
          json({
            protocol: 1,
            id: '__proto__',
            type: 'module',
            module: 'system:admin',
            input: { constructor: 1 },
          }),
      ])(),
    }
  }
}

/** What she is told that no player says. */
async function answerTo(alice: Reader, line: string): Promise<string> {
  alice.client.say(line)
  for (;;) {
    const text = await alice.nextText()
    if (!/^[<*]/.test(text)) return text
  }
}

function endow(serv: SquidServer, player: SquidPlayer): void {
  for (const [slot, [name, count]] of Object.entries(THINGS))
    player.inventory?.updateSlot(Number(slot), makeItem(serv, name, count))
  // the host picks up one of a stack and takes the rest away
  Object.assign(player, { collect: () => {} })
}

const short = (item: SquidItem | null | undefined): string => (item ? `${item.type}x${item.count}` : '-')
const cursorOf = ({ inventory }: SquidPlayer): SquidItem | null | undefined =>
  (inventory as { selectedItem?: SquidItem | null } | undefined)?.selectedItem

const thingsOf = (player: SquidPlayer): string =>
  [
    ...Array.from({ length: 46 }, (_, slot) => short(player.inventory?.slots[slot])),
    `cursor ${short(cursorOf(player))}`,
  ].join(' ')

/** What all players have, and what lies around. */
function totals(serv: SquidServer): string {
  const counts = new Map<number, number>()
  const add = (type: number, count: number): unknown => counts.set(type, (counts.get(type) ?? 0) + count)
  for (const player of serv.players)
    for (const item of [...(player.inventory?.slots ?? []), cursorOf(player)])
      if (item !== null && item !== undefined) add(item.type, item.count)
  for (const entity of Object.values(serv.entities) as {
    type: string
    itemId?: number
    itemCount?: number
  }[])
    if (entity.type === 'object') add(entity.itemId ?? -1, entity.itemCount ?? 0)
  return [...counts].map(String).sort().join(' ')
}

/** What the System wrote into the log. */
const linesOf = ({ log }: SystemServer): string[] => log.filter((line) => line.includes('[system]'))
