/** What providers are told of a reply's shape: never less than what the loop takes. */
import t from 'tap'
import { runScript } from '../../../support/scripted-loop.js'
import type { ReplyShape } from '../../../../lib/agent/models/transport.js'

const ANSWER = '{"type":"answer","text":"Three."}'
const TOOL = '{"type":"item.query","input":{"query":"diamond"}}'

/** Whether a reply has the shape, by the few keywords that shapes use. */
function fits({ schema }: ReplyShape, text: string): boolean {
  const value = JSON.parse(text) as Record<string, unknown>
  const properties = schema['properties'] as Record<string, { type: string; enum?: readonly string[] }>
  const required = (schema['required'] ?? []) as readonly string[]
  return (
    required.every((name) => name in value) &&
    Object.entries(value).every(([name, member]) => {
      const declared = properties[name]
      if (declared === undefined) return schema['additionalProperties'] === true
      return typeof member === declared.type && (declared.enum?.includes(String(member)) ?? true)
    })
  )
}

async function shapesOf(script: Parameters<typeof runScript>[0]): Promise<readonly ReplyShape[]> {
  const { requests } = await runScript(script)
  return requests.flatMap(({ shape }) => shape ?? [])
}

void t.test('a loop: tools, answers, answers without type; the same in each round', async (t) => {
  const shapes = await shapesOf({ replies: [TOOL, TOOL, ANSWER] })
  t.equal(shapes.length, 3)
  const [shape] = shapes
  if (shape === undefined) return
  for (const other of shapes) t.strictSame(other, shape)
  for (const text of [TOOL, ANSWER, '{"text":"Three.","sources":[1]}']) t.ok(fits(shape, text), text)
  t.notOk(fits(shape, '{"type":"no.such.tool"}'), 'names of tools are known')
  t.notOk(shape.isClosed)
})

void t.test('a route: a choice, and a question of its own', async (t) => {
  const [shape] = await shapesOf({ job: { kind: 'route' }, replies: ['{"module":"x"}'] })
  if (shape === undefined) return t.fail('no shape')
  for (const text of ['{"module":"x","input":{"a":1}}', '{"clarify":"Which?","modules":["a","b"]}'])
    t.ok(fits(shape, text), text)
})

void t.test('one answer: closed when it is the usual one, open with a schema of its own', async (t) => {
  const job = { kind: 'complete' as const, catalogue: [] }
  const [usual] = await shapesOf({ job, replies: [ANSWER] })
  const answerSchemaText = '{"type":"object","properties":{"grade":{"type":"integer"}}}'
  const [own] = await shapesOf({
    job: { ...job, answerSchemaText },
    replies: ['{"type":"answer","grade":3}'],
  })
  if (usual === undefined || own === undefined) return t.fail('no shape')
  t.ok(usual.isClosed && fits(usual, ANSWER))
  t.notOk(own.isClosed)
  t.ok(fits(own, '{"type":"answer","grade":3}') && fits(own, '{"grade":3}'))
  // what strict modes ask for
  t.strictSame(usual.schema['required'], Object.keys(usual.schema['properties'] as object))
})
