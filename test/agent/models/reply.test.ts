import fc from 'fast-check'
import t from 'tap'
import { createReplyReader, type Reply } from '../../../lib/agent/models/reply.js'

function read(pieces: readonly string[]): Reply {
  const reader = createReplyReader(['reasoning_content'])
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return reader.reply()
}

const chunk = (content: string, finish: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })

const BODIES: readonly (readonly [string, string, Partial<Reply>])[] = [
  [
    'LF',
    `data: ${chunk('a')}\n\ndata: ${chunk('b', 'stop')}\n\ndata: [DONE]\n\n`,
    { text: 'ab', finish: 'stop', done: true },
  ],
  [
    'CRLF',
    `data: ${chunk('a', 'stop')}\r\n\r\ndata: [DONE]\r\n\r\n`,
    { text: 'a', finish: 'stop', done: true },
  ],
  ['no space after the colon', `data:${chunk('a')}\n\ndata:[DONE]\n\n`, { text: 'a', done: true }],
  ['a last line without end', `data: ${chunk('a')}\n\ndata: [DONE]`, { text: 'a', done: true }],
  [
    'comments, ids and names',
    `: hi\nid: 1\nevent: message\nretry: 5\ndata: ${chunk('a')}\n\n: x\n\n`,
    { text: 'a', done: false },
  ],
  [
    'data split over two lines',
    'data: {"choices":\ndata: [{"delta":{"content":"a"}}]}\n\n',
    { text: 'a', broken: null },
  ],
  [
    'no empty line between events',
    `data: ${chunk('a')}\ndata: ${chunk('b')}\ndata: [DONE]\n`,
    { text: 'ab', done: true },
  ],
  ['white space first', `\n\n \ndata: ${chunk('a')}\n\n`, { text: 'a' }],
  [
    'another choice beside ours',
    'data: {"choices":[{"index":1,"delta":{"content":"x"}},{"index":0,"delta":{"content":"a"}}]}\n\n',
    { text: 'a' },
  ],
  [
    'content null',
    'data: {"choices":[{"delta":{"content":null,"reasoning_content":"hm"}}]}\n\n',
    { text: '', broken: null },
  ],
  [
    'reasoning in either spelling',
    'data: {"choices":[{"delta":{"reasoning":"hm"}}]}\n\n',
    { text: '', broken: null },
  ],
  ['nothing after [DONE] counts', `data: [DONE]\n\ndata: ${chunk('late')}\n\n`, { text: '', done: true }],
  [
    'the last usage counts',
    'data: {"usage":{"a":1}}\n\ndata: {"usage":{"a":2}}\n\ndata: {"usage":null}\n\n',
    { usage: { a: 2 } },
  ],
  [
    'an error event',
    'event: error\ndata: {"code":500,"message":"x"}\n\n',
    { error: { code: 500, message: 'x' } },
  ],
  ['an error field', 'error: {"code":503}\n\n', { error: { code: 503 } }],
  ['an error object', 'data: {"error":{"code":1}}\n\n', { error: { code: 1 } }],
  ['error null is none', 'data: {"error":null,"choices":[]}\n\n', { error: null, broken: null }],
  ['an event that is no JSON', 'data: oops\n\n', { broken: 'shape' }],
  ['content of another type', 'data: {"choices":[{"delta":{"content":7}}]}\n\n', { broken: 'shape' }],
  [
    'plain',
    ' \n{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}\n',
    { text: 'a', finish: 'stop', done: true },
  ],
  ['plain, cut', '{"choices":[{"message":{"content":"a"},"fin', { text: '', done: false, broken: 'shape' }],
  ['a page', '<html>data: x</html>', { broken: 'page' }],
  ['nothing', ' \r\n\n', { spoke: false, done: false, broken: null }],
]

void t.test('bodies, whole and character by character', (t) => {
  for (const [name, body, expected] of BODIES) {
    t.strictSame({ ...read([body]), ...expected }, read([body]), name)
    t.strictSame(read(body.split('')), read([body]), `${name}, character by character`)
  }
  t.end()
})

void t.test('where a body is cut into pieces makes no difference', (t) => {
  const body = `: hi\r\n\r\ndata: ${chunk('钻石😀')}\r\n\r\ndata: ${chunk(' "}\n', 'stop')}\n\ndata: [DONE]`
  const whole = read([body])
  fc.assert(
    fc.property(fc.array(fc.nat(body.length), { maxLength: 12 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), body.length]
      const pieces = at.slice(1).map((end, index) => body.slice(at[index], end))
      t.strictSame(read(pieces), whole)
    }),
    { seed: 3, numRuns: 200 },
  )
  t.equal(whole.text, '钻石😀 "}\n')
  t.end()
})

void t.test('any text is read without an exception', (t) => {
  const word = fc.constantFrom(
    'data: ',
    '{',
    '}',
    '[',
    '"',
    'choices',
    ':',
    '\n',
    '\r\n',
    'null',
    '[DONE]',
    'error',
    '<',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 30 }), (pieces) => {
      read(pieces)
    }),
    { seed: 4, numRuns: 500 },
  )
  t.pass('read')
  t.end()
})
