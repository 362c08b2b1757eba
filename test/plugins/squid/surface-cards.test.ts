/** Where cards are shown, what their buttons do that ask nobody, and which of them are dead. */
import t from 'tap'
import type { CardRef } from '../../../lib/cards/index.js'
import { componentText } from '../../../lib/text/index.js'
import { ReplySurface, type ReplyParts } from '../../../plugins/squid/channels/reply-surface.js'
import { plainCard, replaces, shows, surfaceRig, testCard } from '../../support/surface-rig.js'

void t.test('a card is where its view wants it, else where its reader does', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'one' })))
  t.equal(rig.windows.title, 'one')
  t.equal(rig.said(), null, 'the window is the outcome')

  rig.show(shows(testCard({ title: 'two', surface: 'chat' })))
  t.match(rig.said(), /^two/)
  rig.show(shows(testCard({ title: 'three', surface: 'book' })))
  t.equal(rig.books.length, 1)
  t.equal(rig.windows.page, null, 'a client shows one of both')
  t.equal(rig.said(), null)

  rig.state.preferred = 'plain'
  rig.show(shows(testCard({ title: 'four', buttons: ['buy'] })))
  t.match(rig.said(), /^four\n\[buy\] \/system act /, 'the command of a button stands there')

  rig.state.preferred = 'window'
  rig.show(shows(plainCard('only words')))
  t.equal(rig.said(), 'only words', 'one text is a line wherever cards are liked')
  rig.windows.isGone = true
  rig.show(shows(testCard({ title: 'five' })))
  t.match(rig.said(), /^five/, 'the chat stands in')
  rig.show(shows(testCard({ title: 'six', surface: 'book' })))
  t.match(rig.said(), /^six/, 'for a book, too')
  t.end()
})

void t.test('a result has one screen; its words and its other cards are one message', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show({
    ...shows(testCard({ title: 'one' }), testCard({ title: 'two' })),
    message: { key: 'test.word', params: { text: 'done' } },
  })
  t.equal(rig.windows.title, 'one')
  t.match(rig.said(), /^done\ntwo/)
  t.equal(rig.said(), null)
  t.equal(rig.windows.opened, 1)
  t.end()
})

void t.test('what nobody asked for opens nothing', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'news' })), { isUnasked: true })
  t.match(rig.said(), /^news/)
  t.equal(rig.windows.page, null)
  t.end()
})

void t.test('a page is turned from the snapshot: in the same window, or printed anew', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'list', lines: 60, buttons: ['buy'] })))
  const first = rig.windows.tokens
  t.equal([...first.keys()].filter((name) => name.startsWith('entry')).length, 45)
  rig.surface.local(rig.reader, rig.press('Next page'))
  t.ok(rig.windows.tokens.has('entry 45'))
  t.equal(rig.windows.opened, 1)
  t.equal(rig.said(), null)
  t.equal(rig.codeOf(first.get('buy') ?? ''), 'token_outdated', 'a drawing has its own buttons')
  t.equal(rig.codeOf(rig.windows.tokens.get('buy') ?? ''), 'ok')

  rig.state.preferred = 'chat'
  rig.show(shows(testCard({ title: 'list', lines: 60, buttons: ['buy'] })))
  const printed = rig.chatButtons(rig.chat.shift() ?? { text: '' })
  const taken = rig.tokens.take(rig.reader.id, printed.get('›') ?? '')
  if (!taken.ok) throw new Error(taken.failure.code)
  rig.surface.local(rig.reader, taken.value)
  const anew = rig.chat.shift() ?? { text: '' }
  t.match(componentText(anew), /^list\nentry 10/)
  t.equal(rig.codeOf(printed.get('[buy]') ?? ''), 'token_outdated')
  t.equal(rig.codeOf(rig.chatButtons(anew).get('[buy]') ?? ''), 'ok')
  t.end()
})

void t.test('another page costs that page, not the card', (t) => {
  const closed = ['', 'nothing']
  for (const [preferred, name] of (['chat', 'book', 'window', 'plain'] as const).flatMap((surface) =>
    closed.map((name) => [surface, name] as const),
  )) {
    const rig = surfaceRig({ preferred })
    // with no name, all entries
    rig.state.closed.add(name)
    let rendered = 0
    const { render } = rig.languages
    rig.languages.render = (...of) => ((rendered += 1), Reflect.apply(render, rig.languages, of))
    const costOf = (act: () => void): number => {
      rendered = 0
      act()
      return rendered
    }
    const list = costOf(() => rig.show(shows(testCard({ title: 'list', lines: 500 }))))
    const ref = rig.presenter.newest(rig.reader.id) ?? { id: '', revision: 0 }
    t.ok(list > 500)
    for (const page of [1, 7, 0])
      t.ok(costOf(() => rig.presenter.again(rig.reader, ref, page)) < 100, `${preferred}, page ${page}`)
    rig.show(shows(testCard({ title: 'detail' })))
    t.ok(costOf(() => rig.presenter.again(rig.reader, ref, 2)) < 100, `${preferred}, back from another card`)
    rig.languages.overlay(new Map([['en_us', { 'test.word': '<{text}>' }]]))
    t.ok(costOf(() => rig.presenter.again(rig.reader, ref, 0)) > 500, 'other words')
  }
  t.end()
})

void t.test('a card that came from another leads back to it, on the same page', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'list', lines: 60 })))
  rig.surface.local(rig.reader, rig.press('Next page'))
  const old = rig.windows.tokens.get('entry 51') ?? ''
  const pressed = rig.press('entry 52')
  rig.show(shows(testCard({ title: 'detail', buttons: ['buy'] })), { card: pressed.ref })
  t.equal(rig.windows.title, 'detail')
  t.equal(rig.windows.opened, 1, 'in the same window')
  rig.surface.local(rig.reader, rig.press('‹ Back'))
  t.equal(rig.windows.title, 'list')
  t.ok(rig.windows.tokens.has('entry 52'))
  t.equal(rig.codeOf(old), 'token_outdated')
  t.equal(rig.codeOf(rig.windows.tokens.get('entry 51') ?? ''), 'ok')
  t.notOk(rig.windows.tokens.has('‹ Back'), 'it came from nowhere')

  rig.windows.leave()
  rig.show(shows(testCard({ title: 'detail' })), { card: pressed.ref })
  t.notOk(rig.windows.tokens.has('‹ Back'), 'from a window that is closed nothing leads back')
  t.end()
})

void t.test('a new form takes the place of the old one', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'one', buttons: ['buy'] })))
  const old = rig.windows.tokens.get('buy') ?? ''
  const { ref } = rig.press('buy')
  rig.show(replaces(rig.cards.reserve(rig.reader.id, ref), testCard({ title: 'two', buttons: ['buy'] })))
  t.equal(rig.windows.title, 'two')
  t.equal(rig.windows.opened, 1)
  t.equal(rig.said(), null)
  t.equal(rig.codeOf(old), 'token_used')
  const late = rig.windows.tokens.get('buy') ?? ''

  rig.windows.leave()
  const now = { id: ref.id, revision: 2 }
  rig.show(replaces(now, testCard({ title: 'three' })), { isUnasked: true })
  t.equal(rig.said(), null, 'nobody asked: what was closed stays so')
  t.equal(rig.windows.page, null)
  t.equal(rig.codeOf(late), 'token_outdated')
  rig.show(replaces({ id: ref.id, revision: 3 }, testCard({ title: 'four' })))
  t.match(rig.said(), /^four/, 'who asked gets the answer, where something is to be seen')
  rig.show(replaces(now, testCard({ title: 'late' })))
  t.equal(rig.said(), null, 'a slower action cannot overwrite it')
  t.end()
})

void t.test('a card that has less for a while is on its page again', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'list', lines: 60 })))
  rig.surface.local(rig.reader, rig.press('Next page'))
  const { ref } = rig.press('entry 50')
  rig.show(replaces(ref, testCard({ title: 'list', lines: 2 })))
  t.ok(rig.windows.tokens.has('entry 1'))
  rig.show(replaces({ ...ref, revision: 2 }, testCard({ title: 'list', lines: 60 })))
  t.ok(rig.windows.tokens.has('entry 50'))
  t.end()
})

void t.test('a removed card closes its window, and no other', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'one', buttons: ['buy'] })))
  const { ref } = rig.press('buy')
  rig.show(shows(testCard({ title: 'two', buttons: ['buy'] })))
  rig.show({ status: 'succeeded', message: null, cards: [{ mode: 'REMOVE', ref }] })
  t.equal(rig.windows.title, 'two')
  const second = rig.press('buy')
  rig.show({ status: 'succeeded', message: null, cards: [{ mode: 'REMOVE', ref: second.ref }] })
  t.equal(rig.windows.page, null)
  t.equal(rig.presenter.snapshot(rig.reader.id, second.ref), undefined)
  t.end()
})

void t.test('what a program has in a new form, or has taken away, is drawn on no screen any more', (t) => {
  for (const update of [
    replaces,
    (ref: CardRef) => ({ ...shows(), cards: [{ mode: 'REMOVE', ref } as const] }),
  ]) {
    const rig = surfaceRig({ preferred: 'window' })
    const runtime = { cards: rig.cards, tokens: rig.tokens } as unknown as ReplyParts['runtime']
    const parts = { runtime, languages: rig.languages, surface: rig.surface, languageOf: () => 'en_us' }
    rig.show(shows(testCard({ title: 'one', buttons: ['buy'] })))
    const { ref } = rig.press('buy')
    const end = rig.presenter.begin(rig.reader, ref, 'token')
    new ReplySurface(parts, 'id', () => {}).outcome(rig.reader, update(ref, testCard({ title: 'bought' })))
    end?.()
    t.strictSame([...rig.windows.tokens], [], 'no button of before works again')
    t.equal(rig.presenter.newest(rig.reader.id), undefined)
  }
  t.end()
})

void t.test('while an action runs the card waits, and says so; then its buttons live again', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'one', buttons: ['buy', 'sell'] })))
  const { ref } = rig.press('buy')
  const end = rig.presenter.begin(rig.reader, ref, 'token')
  t.equal(rig.presenter.begin(rig.reader, ref, 'other'), null)
  const lore = () =>
    [...(rig.windows.page?.slots.values() ?? [])].flatMap((slot) => slot.lore.map(componentText))
  t.strictSame(lore().filter((line) => line === 'Please wait …').length, 2, 'what asks nobody goes on')
  const slots = [...(rig.windows.page?.slots.values() ?? [])]
  t.match(slots.find(({ lore: [line] }) => line !== undefined && /wait/.test(componentText(line)))?.lore, [
    { color: 'gray', italic: false },
  ])
  const waiting = rig.windows.tokens.get('sell') ?? ''
  end?.()
  t.notOk(lore().includes('Please wait …'), 'an answer without a card ends it')
  t.equal(rig.codeOf(waiting), 'token_outdated')
  t.equal(rig.codeOf(rig.windows.tokens.get('sell') ?? ''), 'ok')

  const again = rig.presenter.begin(rig.reader, ref, 'token')
  rig.windows.leave()
  again?.()
  t.equal(rig.windows.page, null, 'what was closed meanwhile stays so')
  t.ok(rig.presenter.begin(rig.reader, ref, 'third'))
  t.end()
})

void t.test('the pressed button looks like waiting', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'one', buttons: ['buy', 'sell'] })))
  const token = rig.windows.tokens.get('buy') ?? ''
  const { ref } = rig.press('buy')
  rig.presenter.begin(rig.reader, ref, token)
  const icons = [...(rig.windows.page?.slots.values() ?? [])].map(({ name, icon }) => [
    componentText(name),
    icon,
  ])
  t.equal(new Map(icons as [string, string][]).get('buy'), 'minecraft:clock')
  t.not(new Map(icons as [string, string][]).get('sell'), 'minecraft:clock')
  t.end()
})

void t.test('a suggested command leaves the window for the chat', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'one', buttons: ['/system item '] })))
  rig.surface.local(rig.reader, rig.press('/system item '))
  t.equal(rig.windows.page, null)
  const line = rig.chat.shift() ?? { text: '' }
  t.match(componentText(line), /\/system item /)
  t.ok([...rig.chatButtons(line).values()].includes('/system item '))
  t.end()
})

void t.test('another language or another right draws the window anew', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.show(shows(testCard({ title: 'one', buttons: ['buy', 'sell'] })), {
    ask: { kind: 'text', text: 'one' },
  })
  t.ok(rig.windows.tokens.has('Pin'))
  rig.state.language = 'zh_cn'
  rig.state.closed.add('sell')
  rig.presenter.refresh(rig.reader.id)
  t.ok(rig.windows.tokens.has('收藏'))
  t.notOk(rig.windows.tokens.has('sell'))
  t.equal(rig.windows.opened, 1)
  rig.windows.leave()
  rig.presenter.refresh(rig.reader.id)
  t.equal(rig.windows.page, null)
  t.end()
})

void t.test('only the newest cards are drawn again, and nothing of who has gone', (t) => {
  const rig = surfaceRig({ preferred: 'chat' })
  rig.show(shows(testCard({ title: 'old', lines: 25 })))
  const next = rig.chatButtons(rig.chat.shift() ?? { text: '' }).get('›') ?? ''
  const taken = rig.tokens.take(rig.reader.id, next)
  if (!taken.ok) throw new Error(taken.failure.code)
  for (let n = 0; n < 15; n += 1) rig.show(shows(testCard({ title: `card ${n}` })))
  rig.chat.length = 0
  rig.surface.local(rig.reader, taken.value)
  t.match(rig.said(), /^old\nentry 10/, 'sixteen are kept')
  rig.show(shows(testCard({ title: 'one more' })))
  rig.chat.length = 0
  t.match(rig.surface.local(rig.reader, taken.value), { code: 'system:token_outdated' })

  rig.state.preferred = 'window'
  rig.show(shows(testCard({ title: 'open' })))
  rig.presenter.forget(rig.reader.id)
  t.equal(rig.windows.page, null)
  t.equal(rig.presenter.readers, 0)
  rig.reader.player.disconnected = true
  rig.show(shows(testCard({ title: 'late' })))
  t.equal(rig.presenter.readers, 0)
  t.equal(rig.windows.page, null)
  t.end()
})

void t.test('what cannot be drawn is a fault that is told', (t) => {
  const rig = surfaceRig({ preferred: 'window' })
  rig.windows.open = () => {
    throw new Error('broken')
  }
  rig.show(shows(testCard({ title: 'one' })))
  t.match(rig.said(), /Something went wrong/)
  t.end()
})
