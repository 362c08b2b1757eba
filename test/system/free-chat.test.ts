/** Free chat at level `free` on a real server: the player's workflows as tools, and what may only be confirmed. */
import t from 'tap'
import { z } from 'zod'
import { FAST_POLICY, shown, type Registration } from '../../lib/agent/index.js'
import { cardOf, type CardType } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { componentText } from '../../lib/text/index.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { buttonsOf, consoleSays } from '../support/system.js'

const noteCard: CardType<{ text: string }> = {
  id: identifier('bank:note'),
  schema: z.strictObject({ text: z.string() }),
  build: ({ text }) => ({ title: null, lines: [{ kind: 'text', text }], buttons: [] }),
}
const transfer = {
  id: 'bank:transfer',
  kind: 'game' as const,
  write: true,
  input: z.strictObject({ to: z.string(), coins: z.int() }),
  output: z.strictObject({ left: z.int() }),
}
const owner = identifier('bank:plugin')

/** A bank: one workflow that pays, one that only buttons reach. */
function bank(paid: [string, number][]): (registration: Registration) => void {
  return (registration) => {
    registration.cardType(noteCard)
    registration.tool({
      type: transfer,
      owner,
      handler: ({ to, coins }) => {
        paid.push([to, coins])
        return { left: 100 - coins }
      },
    })
    const module = {
      version: 1,
      action: transfer.input,
      description: 'Pays coins to somebody.',
      help: { key: 'system.command.help.me' },
      tools: [transfer.id],
      policy: { ...FAST_POLICY, writeSteps: 1 },
    }
    registration.module({
      ...module,
      id: identifier('bank:pay'),
      routing: { selection: 'EXPLICIT_ONLY' },
      async execute(context, action) {
        const done = await context.tool(transfer, action)
        const text = done.ok ? `Paid ${action.coins} to ${action.to}.` : done.failure.code
        return shown(cardOf(noteCard, { text }))
      },
    })
    registration.module({
      ...module,
      id: identifier('bank:confirmed'),
      routing: { selection: 'STRUCTURED_ONLY' },
      execute: () => Promise.resolve(shown(cardOf(noteCard, { text: 'never' }))),
    })
  }
}

const CHAT = { module: 'system:free_chat', input: { text: 'hi' } }
const answer = (text: string, sources: readonly number[] = []) => ({ type: 'answer', text, sources })
const call = (type: string, input: object = {}) => ({ type, input })
const PAY = call('bank:pay', { to: 'bob', coins: 5 })

interface Bank {
  readonly system: LiveSystem
  readonly alice: Seat
  readonly paid: [string, number][]
}

async function open(t: { teardown(fn: () => unknown): void }): Promise<Bank> {
  const paid: [string, number][] = []
  const system = await openLive(t, {
    register: bank(paid),
    config: { 'system-agent': { aiDefault: 'free' } },
  })
  return { system, alice: await system.join('alice'), paid }
}

const chat = (
  { system, alice }: Bank,
  ...replies: readonly Readonly<Record<string, unknown>>[]
): ReturnType<Seat['reader']['ask']> => {
  system.provider.script(CHAT, ...replies)
  return alice.reader.ask('/system let us talk a while')
}

void t.test('look-ups are run, cited, and shown with the answer', async (t) => {
  const bank = await open(t)
  const text = componentText(
    await chat(
      bank,
      call('system:recipe_query', { query: 'piston' }),
      call('system:player_info'),
      answer('You need §4redstone. {"text":"no"}', [1]),
    ),
  )
  t.match(text, 'You need redstone. {"text":"no"}', 'literally, without colours')
  t.match(text, /How to craft Piston|Piston/, 'the card that is cited')
  t.notMatch(text, /Your state/, 'and no other')
  const sent = bank.system.provider.requests
  t.equal(sent.length, 4)
  t.match(sent[3]?.body.messages[1]?.content, /"tool":"system:player_info"/)
  t.match((await bank.system.status())['routes'], / model=1 /)
  t.strictSame([await bank.alice.rest(), bank.system.stray, bank.system.provider.errors], [[], [], []])
})

void t.test('hostile replies: nothing is written by the choice of a model', async (t) => {
  const bank = await open(t)
  const { alice, paid, system } = bank
  const card = await chat(
    bank,
    PAY,
    call('bank:confirmed', { to: 'bob', coins: 5 }),
    call('bank:transfer', { to: 'bob', coins: 5 }),
    call('bank:pay', { to: 'bob', coins: 'all' }),
    answer('I have paid bob for you!', [1]),
  )
  t.same(paid, [])
  t.match(componentText(card), 'Nothing has been done yet. It is done when you press the button.')
  t.match(componentText(card), /to: bob\n\s*coins: 5/)
  const buttons = buttonsOf(card)
  t.equal(buttons.length, 1)
  t.equal(buttons[0]?.label, '[Do it]')
  await system.join('bob').then(async (bob) => {
    t.match(await bob.ask(buttons[0]?.command ?? ''), /doesn't work for you/, 'a button is of one player')
  })
  t.same(paid, [])
  t.equal(await alice.ask(buttons[0]?.command ?? ''), 'Paid 5 to bob.')
  t.same(paid, [['bob', 5]])
  t.match(await alice.ask(buttons[0]?.command ?? ''), /already pressed/)
  t.same(paid, [['bob', 5]], 'once')
  const status = await consoleSays(system, 'system status alice')
  t.match(status.at(-1), /module=bank:pay source=structured model-calls=0 code=ok$/)
  t.strictSame([await alice.rest(), system.stray], [[], []])
})

void t.test('a press is judged by what holds then', async (t) => {
  const bank = await open(t)
  const [button] = buttonsOf(await chat(bank, PAY, answer('Shall I?')))
  // the button itself needs no model
  await consoleSays(bank.system, 'system ai alice off')
  t.match(await bank.alice.reader.nextText(), /changed by an admin/)
  t.equal(await bank.alice.ask(button?.command ?? ''), 'Paid 5 to bob.')
  await consoleSays(bank.system, 'system ai alice free')
  const [second] = buttonsOf(await chat(bank, PAY, answer('Shall I?')))
  await consoleSays(bank.system, 'system revoke alice')
  t.match(await bank.alice.reader.nextText(), /taken away/)
  t.match(await bank.alice.ask(second?.command ?? ''), /don't have a System/)
  t.same(bank.paid, [['bob', 5]])
})

void t.test(
  'a model that goes on for ever ends with what it found and what there is to confirm',
  async (t) => {
    const bank = await open(t)
    const replies = ['piston', 'torch', 'chest', 'ladder'].map((query) =>
      call('system:recipe_query', { query }),
    )
    const card = await chat(bank, PAY, ...replies)
    t.match(componentText(card), /^I couldn't finish the analysis/)
    t.equal(buttonsOf(card).filter(({ label }) => label === '[Do it]').length, 1)
    // one call of routing, five of the loop
    t.equal(bank.system.provider.requests.length, 6)
    t.same(bank.paid, [])
    t.strictSame([await bank.alice.rest(), bank.system.stray], [[], []])
  },
)

void t.test('the level sinks while a workflow is chosen', async (t) => {
  const bank = await open(t)
  const { system, alice } = bank
  system.provider.script(CHAT, PAY, () => new Promise<never>(() => {}))
  alice.say('/system let us talk a while')
  while (system.provider.requests.length < 3) await new Promise((resolve) => setImmediate(resolve))
  await consoleSays(system, 'system ai alice chat')
  t.equal(await alice.reader.nextText(), "An admin hasn't opened that much of the AI to you.")
  t.strictSame([bank.paid, await alice.rest(), system.stray], [[], [], []])
})
