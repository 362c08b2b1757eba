import t from 'tap'
import { ButtonTokens, type CardAction } from '../../lib/cards/index.js'
import { identifier, randomIds } from '../../lib/core/ids.js'
import { ALICE, BOB, countingIds, standingClock } from '../support/cards.js'

const action: CardAction = { kind: 'server', module: identifier('system:help'), params: { page: '2' } }
const ref = { id: 'card', revision: 1 }

function tokens(options: { ttlMs?: number; perPlayer?: number } = {}) {
  const clock = standingClock()
  return { clock, tokens: new ButtonTokens({ ids: countingIds(), clock, ...options }) }
}
const codeOf = (result: ReturnType<ButtonTokens['take']>): string => (result.ok ? 'ok' : result.failure.code)

void t.test('a token works once', (t) => {
  const { tokens: book } = tokens()
  const token = book.issue(ALICE, ref, action)
  t.strictSame(book.take(ALICE, token), { ok: true, value: { ref, action } })
  t.equal(codeOf(book.take(ALICE, token)), 'system:token_used')
  book.giveBack(ALICE, token)
  t.equal(codeOf(book.take(ALICE, token)), 'ok', 'given back before the action began')
  t.equal(codeOf(book.take(ALICE, token)), 'system:token_used')
  t.end()
})

void t.test("another player's token, a guess and nonsense are unknown", (t) => {
  const { tokens: book } = tokens()
  const token = book.issue(ALICE, ref, action)
  for (const word of [token, '', 't99', '__proto__', 'constructor', 'x'.repeat(1_000_000)])
    t.equal(codeOf(book.take(BOB, word)), 'system:token_unknown')
  book.giveBack(BOB, token)
  t.equal(codeOf(book.take(ALICE, token)), 'ok', "nobody else used up Alice's token")
  t.end()
})

void t.test('a token expires after ten minutes', (t) => {
  const { tokens: book, clock } = tokens()
  const early = book.issue(ALICE, ref, action)
  const late = book.issue(ALICE, ref, action)
  clock.advance(599_999)
  t.equal(codeOf(book.take(ALICE, early)), 'ok')
  clock.advance(1)
  t.equal(codeOf(book.take(ALICE, late)), 'system:token_expired')
  book.giveBack(ALICE, early)
  t.equal(codeOf(book.take(ALICE, early)), 'system:token_expired', 'giving back lengthens no life')
  t.end()
})

void t.test('a newer revision kills the buttons of that card alone', (t) => {
  const { tokens: book } = tokens()
  const used = book.issue(ALICE, ref, action)
  book.take(ALICE, used)
  const old = book.issue(ALICE, ref, action)
  const other = book.issue(ALICE, { id: 'other', revision: 1 }, action)
  const fresh = book.issue(ALICE, { id: 'card', revision: 2 }, action)
  const bobs = book.issue(BOB, ref, action)
  book.supersede(ALICE, 'card', 2)
  t.equal(codeOf(book.take(ALICE, old)), 'system:token_outdated')
  book.giveBack(ALICE, old)
  t.equal(codeOf(book.take(ALICE, old)), 'system:token_outdated')
  t.equal(codeOf(book.take(ALICE, used)), 'system:token_used')
  book.giveBack(ALICE, used)
  t.equal(codeOf(book.take(ALICE, used)), 'system:token_outdated', 'given back too late')
  for (const [player, token] of [
    [ALICE, other],
    [ALICE, fresh],
    [BOB, bobs],
  ] as const)
    t.equal(codeOf(book.take(player, token)), 'ok')
  t.end()
})

void t.test('the oldest tokens make room, and clearing forgets all', (t) => {
  const { tokens: book } = tokens()
  const issued = Array.from({ length: 513 }, () => book.issue(ALICE, ref, action))
  t.equal(codeOf(book.take(ALICE, issued[0] ?? '')), 'system:token_unknown')
  t.equal(codeOf(book.take(ALICE, issued[1] ?? '')), 'ok')
  t.equal(codeOf(book.take(ALICE, issued[512] ?? '')), 'ok')
  const bobs = book.issue(BOB, ref, action)
  book.clear(ALICE)
  for (const token of issued) t.equal(codeOf(book.take(ALICE, token)), 'system:token_unknown')
  t.equal(codeOf(book.take(BOB, bobs)), 'ok')
  t.end()
})

void t.test('real tokens carry 128 bits', (t) => {
  const book = new ButtonTokens({ ids: randomIds, clock: standingClock() })
  const issued = new Set(Array.from({ length: 100 }, () => book.issue(ALICE, ref, action)))
  t.equal(issued.size, 100)
  for (const token of issued) t.equal(Buffer.from(token, 'base64url').length, 16)
  t.end()
})
