import t from 'tap'
import type { Component } from '../../../../lib/text/index.js'
import { componentText } from '../../../../lib/text/index.js'
import { readBook, short, type WireItem } from '../../../support/client-view.js'
import { VERSIONS } from '../../../support/squid.js'
import { makeItem, openStage, page } from './stage.js'

const PAGES: readonly Component[] = [
  {
    text: 'Page one\n',
    extra: [
      {
        text: '[yes]',
        color: 'dark_green',
        clickEvent: { action: 'run_command', value: '/system act token' },
        hoverEvent: { action: 'show_text', contents: { text: 'click' } },
      },
      { text: '[next]', clickEvent: { action: 'change_page', value: '2' } },
    ],
  },
  { text: 'Page §ltwo 😀' },
]

for (const version of VERSIONS) {
  void t.test(version, async (t) => {
    const stage = await openStage(t, version)
    const { serv, player, alice, view, windows, openBook, served, things, told, events } = stage
    const packets = (): { name: string; data: Record<string, unknown> }[] =>
      alice.received.splice(0).filter(({ name }) => /^(set_slot|open_book)$/.test(name))
    await served()
    packets()

    t.equal(openBook(player, { title: 'An answer', pages: PAGES }), true)
    await served()
    const seen = packets()
    t.strictSame(
      seen.map(({ name }) => name),
      ['set_slot', 'set_slot', 'open_book', 'set_slot'],
    )
    t.ok(
      seen.every(({ name, data }) => name === 'open_book' || (data['slot'] === 36 && data['windowId'] === 0)),
    )
    const book = readBook(seen[1]?.data['item'] as WireItem)
    t.equal(short(seen[1]?.data['item'] as WireItem), `${serv.registry.itemsByName['written_book']?.id}x1`)
    t.equal(book.title, 'An answer')
    t.strictSame(book.pages, PAGES)
    t.equal(view.things, things())

    await t.test('the held item after fifty books', async (t) => {
      const before = things()
      for (let n = 0; n < 50; n += 1) {
        const held = n % 9
        alice.write('held_item_slot', { slotId: held })
        if (n % 5 === 0) await served()
        openBook(player, { title: `Book ${n}`, pages: PAGES })
      }
      await served()
      t.equal(packets().filter(({ name }) => name === 'open_book').length, 50)
      t.equal(things(), before)
      t.equal(view.things, before)
    })

    await t.test('a slot that no client may hold', async (t) => {
      for (const slot of [500, -3, NaN, 3.5]) {
        player.heldItemSlot = slot
        openBook(player, { title: '', pages: [] })
      }
      player.heldItemSlot = 0
      await served()
      t.equal(view.things, things())
      t.strictSame(
        [...new Set(packets().flatMap(({ data }) => ('slot' in data ? [data['slot']] : [])))].sort(
          (a, b) => Number(a) - Number(b),
        ),
        [36, 39, 44],
      )
    })

    await t.test('more than fits', async (t) => {
      const pages = Array.from({ length: 100 }, (_, n): Component => ({ text: `${n} ${'长'.repeat(9_000)}` }))
      openBook(player, { title: '😀'.repeat(16), pages })
      await served()
      const [, big] = packets()
      const shown = readBook(big?.data['item'] as WireItem)
      t.equal(shown.pages.length, 100)
      t.equal(shown.title.length, 32)
      t.match(componentText(shown.pages[99] ?? { text: '' }), /^99 长+…$/)
      t.equal(view.things, things())
    })

    await t.test('a window makes room', async (t) => {
      windows.open(player, page({}), events('window'))
      openBook(player, { title: 'x', pages: PAGES })
      await served()
      t.strictSame(told, ['window closed'])
      t.equal(view.window, null)
      t.equal(view.things, things())
    })

    await t.test('a stack that cannot be told of is not covered', async (t) => {
      const broken = Object.assign(makeItem(serv, 'stone', 1), {
        nbt: { type: 'compound', name: '', value: { x: { type: 'list', value: null } } },
        components: [{ type: 'custom_name', data: null }],
      })
      const slots = player.inventory?.slots ?? []
      const real = slots[36]
      slots[36] = broken
      packets()
      t.equal(openBook(player, { title: 'x', pages: PAGES }), false)
      slots[36] = real
      await served()
      t.strictSame(packets(), [])
    })
    t.strictSame([stage.errors, alice.clientErrors, stage.log.lines], [[], [], []])
  })
}
