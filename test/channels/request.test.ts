import t from 'tap'
import { channelRequestSchema, decodeRequest, usageRequestSchema } from '../../lib/channels/index.js'

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const read = (value: unknown) => decodeRequest(channelRequestSchema, bytes(value))
const head = { protocol: 1, id: ID }

void t.test('each kind of request', (t) => {
  for (const request of [
    { ...head, type: 'chat', text: 'hello' },
    { ...head, type: 'module', module: 'system:item', input: { query: 'piston', deep: [1, null, true] } },
    { ...head, type: 'button', token: 'abc' },
    { ...head, type: 'control', control: 'cancel' },
    { ...head, type: 'control', control: 'history', page: 2 },
    { ...head, type: 'preference', name: 'history', value: 'off' },
    { ...head, type: 'preference', name: 'externalAi', value: 'off' },
    { ...head, type: 'preference', name: 'language', value: 'en_us' },
  ])
    t.strictSame(read(request), { ok: true, value: request })
  t.strictSame(decodeRequest(usageRequestSchema, bytes({ ...head, open: true })), {
    ok: true,
    value: { ...head, open: true },
  })
  t.end()
})

void t.test('what is no request is refused, with its id where it has one', (t) => {
  const refused = (value: unknown) => {
    const found = value instanceof Uint8Array ? decodeRequest(channelRequestSchema, value) : read(value)
    return found.ok ? 'taken' : [found.bad.reason, found.bad.id]
  }
  const text = (source: string): Uint8Array => new TextEncoder().encode(source)
  t.same(refused({ ...head, type: 'chat' }), ['malformed', ID])
  t.same(refused({ ...head, type: 'chat', text: 'x', more: 1 }), ['malformed', ID])
  t.same(refused({ ...head, type: 'fly' }), ['malformed', ID])
  t.same(refused({ ...head, type: 'control', control: 'history', page: 0 }), ['malformed', ID])
  t.same(refused({ ...head, type: 'preference', name: 'loudness', value: 'on' }), ['malformed', ID])
  t.same(refused({ ...head, id: ID.toUpperCase(), type: 'chat', text: 'x' }), ['malformed', null])
  t.same(refused({ ...head, protocol: 2, type: 'chat', text: 'x' }), ['protocol', ID], 'another protocol')
  t.same(refused({ id: ID, type: 'chat', text: 'x' }), ['protocol', ID])
  t.same(refused(null), ['protocol', null])
  t.same(refused([]), ['protocol', null])
  t.same(refused('text'), ['protocol', null])
  t.same(refused(new Uint8Array()), ['not_json', null])
  t.same(refused(text('{')), ['not_json', null])
  t.same(refused(new Uint8Array([0x22, 0xff, 0x22])), ['not_json', null], 'no UTF-8')
  t.same(refused(text(`\uFEFF${JSON.stringify({ ...head, type: 'chat', text: 'x' })}`)), ['not_json', null])
  t.same(refused(text('['.repeat(30_000))), ['not_json', null], 'too deep')
  t.same(refused(text(`${'['.repeat(33)}${']'.repeat(33)}`)), ['not_json', null])
  t.same(refused(new Uint8Array(32_768)), ['too_large', null])
  const proto = `{"protocol":1,"id":"${ID}","type":"module","module":"a:b","input":{"__proto__":{"x":1}}}`
  t.not(refused(text(proto)), 'taken without a look')
  t.equal(Reflect.get({}, 'x'), undefined)
  t.end()
})

void t.test('brackets in texts are no depth', (t) => {
  t.equal(read({ ...head, type: 'chat', text: '[[['.repeat(100) + '\\"{{{'.repeat(50) }).ok, true)
  t.end()
})
