import t from 'tap'
import { z } from 'zod'
import {
  ButtonTokens,
  CardBook,
  CardTypes,
  type CardAction,
  type CardData,
  type CardRef,
  type CardType,
} from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { ALICE, BOB, countingIds, standingClock } from '../support/cards.js'

const action: CardAction = { kind: 'suggest', command: '/system ' }
const noteType: CardType<{ text: string }> = {
  id: identifier('test:note'),
  schema: z.strictObject({ text: z.string() }),
  summary: { key: 'test.summary' },
  build: ({ text }) => {
    if (text === 'boom') throw new Error('a broken builder')
    return { title: null, lines: [{ kind: 'text', text }], buttons: [] }
  },
  memoryFact: ({ text }) => `a note: ${text}`,
}
const note = (text: unknown): CardData => ({ type: noteType.id, data: { text } })

function book(perPlayer?: number) {
  const ids = countingIds()
  const tokens = new ButtonTokens({ ids, clock: standingClock() })
  const broken: string[] = []
  const types = new CardTypes([noteType], (type) => broken.push(type))
  const cards = new CardBook({ ids, types, tokens, ...(perPlayer === undefined ? {} : { perPlayer }) })
  const show = (text: string): CardRef => cards.present(ALICE, { mode: 'SHOW', card: note(text) }).ref
  const replace = (ref: CardRef, text: string) =>
    cards.present(ALICE, { mode: 'REPLACE', ref, card: note(text) })
  return { cards, tokens, types, broken, show, replace }
}

void t.test('SHOW gives a new card, REPLACE its next revision', (t) => {
  const { show, replace, tokens } = book()
  const first = show('a')
  const second = show('b')
  t.not(first.id, second.id)
  t.equal(first.revision, 1)
  const old = tokens.issue(ALICE, first, action)
  const others = tokens.issue(ALICE, second, action)
  const replaced = replace(first, 'c')
  t.match(replaced, { kind: 'shown', ref: { id: first.id, revision: 2 } })
  t.strictSame(replaced.kind === 'shown' && replaced.view.lines, [{ kind: 'text', text: 'c' }])
  t.match(tokens.take(ALICE, old), { ok: false, failure: { code: 'system:token_outdated' } })
  t.match(tokens.take(ALICE, others), { ok: true })
  t.match(replace(first, 'd'), { kind: 'stale' }, 'a reference to an older revision changes nothing')
  t.end()
})

void t.test('a slow older action cannot overwrite a newer card', (t) => {
  const { cards, show, replace, tokens } = book()
  const shown = show('a')
  const slow = cards.reserve(ALICE, shown)
  const quick = cards.reserve(ALICE, shown)
  const button = tokens.issue(ALICE, shown, action)
  t.strictSame([slow.revision, quick.revision], [2, 3])
  t.match(tokens.take(ALICE, button), { ok: true }, 'a reservation alone kills no button')
  t.match(replace(quick, 'new'), { kind: 'shown', ref: { revision: 3 } })
  t.match(replace(slow, 'old'), { kind: 'stale', ref: slow })
  t.match(replace({ id: shown.id, revision: 9 }, 'x'), { kind: 'stale' }, 'a revision nobody reserved')
  t.match(replace(quick, 'newer'), { kind: 'shown', ref: { revision: 4 } })
  t.end()
})

void t.test('the actions that started in order show in order', (t) => {
  const { cards, show, replace } = book()
  const shown = show('a')
  const [one, two] = [cards.reserve(ALICE, shown), cards.reserve(ALICE, shown)]
  t.match(replace(one, 'b'), { kind: 'shown', ref: { revision: 2 } })
  t.match(replace(two, 'c'), { kind: 'shown', ref: { revision: 3 } })
  t.end()
})

void t.test('REMOVE closes the card and its buttons', (t) => {
  const { cards, show, replace, tokens } = book()
  const shown = show('a')
  const button = tokens.issue(ALICE, shown, action)
  t.match(cards.present(ALICE, { mode: 'REMOVE', ref: shown }), { kind: 'removed', ref: shown })
  t.match(tokens.take(ALICE, button), { ok: false, failure: { code: 'system:token_outdated' } })
  t.match(replace(shown, 'b'), { kind: 'stale' })
  t.match(cards.present(ALICE, { mode: 'REMOVE', ref: shown }), { kind: 'stale' })
  t.strictSame(cards.reserve(ALICE, shown), shown)
  t.end()
})

void t.test("cards are each player's own, few, and forgotten together", (t) => {
  const { cards, show, replace, tokens } = book(2)
  const first = show('a')
  t.match(cards.present(BOB, { mode: 'REPLACE', ref: first, card: note('x') }), { kind: 'stale' })
  const button = tokens.issue(ALICE, first, action)
  show('b')
  const third = show('c')
  t.match(replace(first, 'd'), { kind: 'stale' }, 'the oldest of three is gone')
  t.match(tokens.take(ALICE, button), { ok: false, failure: { code: 'system:token_outdated' } })
  const live = tokens.issue(ALICE, third, action)
  cards.clear(ALICE)
  t.match(replace(third, 'e'), { kind: 'stale' })
  t.match(tokens.take(ALICE, live), { ok: false, failure: { code: 'system:token_unknown' } })
  t.end()
})

void t.test('broken cards fall back to the summary, and the log hears of it', (t) => {
  const { types, broken } = book()
  const summary = (key: string) => ({
    title: null,
    lines: [{ kind: 'message', message: { key }, tone: 'muted' }],
    buttons: [],
  })
  t.strictSame(types.view(note(5)), summary('test.summary'))
  t.strictSame(types.view(note('boom')), summary('test.summary'))
  t.strictSame(types.view({ type: identifier('test:none'), data: {} }), summary('system.card.broken'))
  t.strictSame(broken, ['test:note', 'test:note', 'test:none'])
  t.equal(types.memoryFact(note('x')), 'a note: x')
  t.equal(types.memoryFact(note(null)), undefined)
  t.throws(() => types.register(noteType), TypeError)
  t.end()
})
