import t from 'tap'
import { MAX_RESPONSE_BYTES, ResponseReader, splitResponse } from '../../lib/channels/index.js'

const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at % 251)

void t.test('whatever its length, a reply comes out as it went in', (t) => {
  for (const length of [0, 1, 65_527, 65_528, 65_529, 131_056, 131_057, MAX_RESPONSE_BYTES]) {
    const parts = splitResponse(bytesOf(length), 7)
    t.ok(parts.every(({ byteLength }) => byteLength <= 65_536))
    const reader = new ResponseReader()
    // in any order, and one of them twice
    const given = [...parts.toReversed(), ...parts.slice(0, 1)]
    const whole = given.map((part) => reader.take(part)).filter((found) => found !== null)
    t.equal(Buffer.compare(whole[0] ?? Buffer.alloc(1), bytesOf(length)), 0, `${length} bytes`)
    t.equal(whole.length, parts.length === 1 ? 2 : 1)
  }
  t.throws(() => splitResponse(bytesOf(MAX_RESPONSE_BYTES + 1), 1), RangeError)
  t.end()
})

void t.test('replies that are told at once do not mix', (t) => {
  const reader = new ResponseReader()
  const [a, b] = [splitResponse(bytesOf(100_000), 1), splitResponse(bytesOf(90_000), 2)]
  t.equal(reader.take(a[0] ?? new Uint8Array()), null)
  t.equal(reader.take(b[0] ?? new Uint8Array()), null)
  t.equal(reader.take(a[1] ?? new Uint8Array())?.byteLength, 100_000)
  t.equal(reader.take(b[1] ?? new Uint8Array())?.byteLength, 90_000)
  t.end()
})

void t.test('what is no part is left out, and nothing is kept for ever', (t) => {
  const reader = new ResponseReader()
  t.equal(reader.take(new Uint8Array(7)), null)
  t.equal(reader.take(new Uint8Array(8)), null, 'of no parts')
  t.equal(reader.take(Uint8Array.from([0, 0, 0, 1, 0, 3, 0, 3])), null, 'behind the last')
  t.equal(reader.take(Uint8Array.from([0, 0, 0, 1, 0, 0, 255, 255])), null, 'too many')
  const [first, second] = splitResponse(bytesOf(70_000), 0)
  for (let number = 1; number <= 9; number += 1)
    reader.take(splitResponse(bytesOf(70_000), number)[0] ?? new Uint8Array())
  t.equal(
    reader.take(splitResponse(bytesOf(70_000), 1)[1] ?? new Uint8Array()),
    null,
    'the oldest was dropped',
  )
  t.equal(reader.take(splitResponse(bytesOf(70_000), 9)[1] ?? new Uint8Array())?.byteLength, 70_000)
  t.ok(first !== undefined && second !== undefined)
  t.end()
})
