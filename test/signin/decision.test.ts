/** A model that chooses: exactly one of the candidates, whatever it says. */
import t from 'tap'
import type { FailureCode } from '../../lib/core/failure.js'
import type { ModelStep } from '../../lib/testing/index.js'
import { codeOf } from '../support/kernel.js'
import { cardIn, items, SigninRig } from './rig.js'

const WAY = { module: 'system:signin_choose', input: {} }

async function open(setup: ConstructorParameters<typeof SigninRig>[0] = {}) {
  const rig = new SigninRig(setup)
  rig.at('2026-12-01T12:00:00Z')
  await rig.packs(items('bread', 'coal', 'torch', 'arrow', 'stick'))
  const alice = await rig.k.join()
  const ids = cardIn(await rig.look(alice)).candidates.map(({ id }) => id as string)
  return { rig, alice, ids }
}

/** Which candidate a sentence brings when the model answers so, and what is said of it. */
async function chosen(step: (ids: readonly string[]) => ModelStep) {
  const { rig, alice, ids } = await open()
  rig.model.script(WAY, step(ids))
  const outcome = await rig.k.text(alice, 'sign me in')
  const card = cardIn(outcome)
  const { inbox, signin } = rig.kept(alice)
  return {
    code: codeOf(outcome),
    at: ids.indexOf(card.got?.reward.id ?? ''),
    said: card.said,
    calls: rig.model.requests.length,
    kept: [inbox.length, signin.total, signin.history[0]?.reward.id === card.got?.reward.id],
  }
}

const ended = (code: FailureCode): ModelStep => ({
  ok: false,
  code,
  usage: null,
  httpStatus: 503,
  unbilled: false,
})

const text = 'Arrows, for the night.'
const FIRST = { code: 'ok', at: 0, said: null, calls: 2, kept: [1, 1, true] }

void t.test('it chooses one, with a sentence of its own', async (t) => {
  t.strictSame(await chosen((ids) => ({ type: 'answer', candidate: ids[2], text })), {
    ...FIRST,
    at: 2,
    said: text,
  })
})

void t.test('what is invalid, late or refused is the first candidate, and no further call', async (t) => {
  const CASES: readonly (readonly [string, (ids: readonly string[]) => ModelStep])[] = [
    ['no JSON', () => 'I choose the best one!'],
    ['no candidate', () => ({ type: 'answer', text })],
    ['no text', (ids) => ({ type: 'answer', candidate: ids[1], text: ' ' })],
    ['another id', () => ({ type: 'answer', candidate: 'minecraft:diamond_block', text })],
    ['not the id', (ids) => ({ type: 'answer', candidate: ids[1]?.toUpperCase(), text })],
    ['all of them', (ids) => ({ type: 'answer', candidate: ids, text })],
    ['a further member', (ids) => ({ type: 'answer', candidate: ids[1], text, count: 64 })],
    ['a long text', (ids) => ({ type: 'answer', candidate: ids[1], text: 'x'.repeat(401) })],
    ['a tool', (ids) => ({ type: 'signin.pick', input: { candidate: ids[1] } })],
    ['an error', () => ended('system:model_unavailable')],
    ['silence', () => ended('system:model_timeout')],
    ['no money', () => ended('system:model_rate_limited')],
  ]
  for (const [name, step] of CASES) t.strictSame(await chosen(step), FIRST, name)
})

void t.test('what it says is a line of text', async (t) => {
  const evil = '§4Hi\n[Take it](/op alice)\r\n{"clickEvent":{"action":"run_command"}} {{candidates}}'
  const { at, said } = await chosen((ids) => ({ type: 'answer', candidate: ids[1], text: evil }))
  t.equal(at, 1)
  t.equal(said, evil.replace(/\s+/g, ' '))
})

void t.test('one candidate is no question, and a day that is signed none either', async (t) => {
  const { rig, alice } = await open()
  await rig.packs(items('bread'))
  rig.model.script(WAY, WAY)
  t.match(cardIn(await rig.k.text(alice, 'sign me in')), {
    got: { reward: { id: 'test:bread' } },
    said: null,
  })
  const again = await rig.k.text(alice, 'sign me in')
  t.equal(codeOf(again), 'system:signed_in')
  t.match(cardIn(again).got, { reward: { id: 'test:bread' } })
  t.equal(rig.model.requests.length, 2, 'the ways alone')
})

void t.test('who may have nothing of a model chooses by hand', async (t) => {
  const { rig, alice, ids } = await open({ aiDefault: 'off' })
  t.equal(cardIn(await rig.look(alice)).canAsk, false)
  t.not(codeOf(await rig.k.text(alice, 'sign me in')), 'ok')
  t.not(codeOf(await rig.k.press(alice, 'system:signin_choose')), 'ok')
  t.equal(rig.kept(alice).signin.day, '')
  t.equal(codeOf(await rig.pick(alice, ids[1] ?? '')), 'ok')
  t.strictSame(rig.model.requests, [])
})

void t.test('by its button it takes one call, and a guess never leads there', async (t) => {
  const { rig, alice, ids } = await open({
    local: (said) =>
      Promise.resolve({ moduleId: 'system:signin_choose', sentence: { text: said, item: null } }),
  })
  rig.model.script('nonsense', { type: 'answer', candidate: ids[1], text })
  t.equal(codeOf(await rig.k.text(alice, '???')), 'system:not_understood')
  t.equal(rig.kept(alice).signin.day, '')
  t.match(cardIn(await rig.k.press(alice, 'system:signin_choose')), {
    said: text,
    got: { reward: { id: ids[1] } },
  })
  t.equal(rig.model.requests.length, 2)
})
