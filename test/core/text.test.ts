import fc from 'fast-check'
import t from 'tap'
import { clipCodePoints, codePoints } from '../../lib/core/code-points.js'
import { identifier, isIdentifier, isUuid, playerId, randomIds } from '../../lib/core/ids.js'
import { utf8Bytes } from '../../lib/core/json.js'

void t.test('code points, not UTF-16 units', async (t) => {
  t.equal(codePoints(''), 0)
  t.equal(codePoints('a€😀'), 3)
  t.equal(codePoints('\ud83d'), 1, 'a lone surrogate')
  t.equal(utf8Bytes('a€😀\ud83d'), 1 + 3 + 4 + 3)
})

void t.test('clipping', async (t) => {
  t.equal(clipCodePoints('four', 4), 'four')
  t.equal(clipCodePoints('fives', 4), 'fiv…')
  t.equal(clipCodePoints('😀😀😀😀', 4), '😀😀😀😀', 'eight units, four characters')
  t.equal(clipCodePoints('😀😀😀😀😀', 4), '😀😀😀…')
  t.equal(clipCodePoints('ab', 1), '…')
})

void t.test('clipping: within the limit, a prefix, whole characters', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 12 }), (text, limit) => {
      const clipped = clipCodePoints(text, limit)
      if (codePoints(text) <= limit) return clipped === text
      const kept = clipped.slice(0, -1)
      return (
        codePoints(clipped) === limit &&
        clipped.endsWith('…') &&
        text.startsWith(kept) &&
        Buffer.from(kept).toString() === kept
      )
    }),
  )
})

void t.test('identifiers', async (t) => {
  for (const text of ['a:b', 'minecraft:stone', 'my.pack-1_x:path/to/x.y']) t.ok(isIdentifier(text), text)
  const wrong = ['', 'stone', ':', 'a:', ':b', 'A:b', 'a:B', 'a/b:c', 'a:b:c', 'a:b ', ' a:b', 'a:b\n', 'é:b']
  for (const text of wrong) t.notOk(isIdentifier(text), JSON.stringify(text))
  t.ok(isIdentifier(`a:${'b'.repeat(254)}`))
  t.notOk(isIdentifier(`a:${'b'.repeat(255)}`))
  t.throws(() => identifier('No'), TypeError)
})

void t.test('uuids', async (t) => {
  const uuid = '0b0e7a3c-8a56-4c55-9d68-0c5a1f1c9b01'
  t.ok(isUuid(uuid))
  t.equal(playerId(uuid.toUpperCase()), uuid)
  for (const text of ['', uuid.replaceAll('-', ''), `${uuid}\n`, `${uuid}0`, '../../etc/passwd']) {
    t.notOk(isUuid(text), JSON.stringify(text))
    t.throws(() => playerId(text), TypeError)
  }
})

void t.test('random ids', async (t) => {
  t.ok(isUuid(randomIds.requestId()))
  const tokens = new Set(Array.from({ length: 1_000 }, () => randomIds.token()))
  t.equal(tokens.size, 1_000)
  for (const token of tokens) t.match(token, /^[A-Za-z0-9_-]{22}$/)
})
