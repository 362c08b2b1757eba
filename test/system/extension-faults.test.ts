import t, { type Test } from 'tap'
import { identifier } from '../../lib/core/ids.js'
import { CHAT, CLOCK, LOGGER, TRACE, type Registration } from '../../lib/agent/index.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { consoleSays } from '../support/system.js'
import { good } from './fault-cases.js'
import { lineOf } from './fault-rig.js'
import { boom, closureNames, compute, faulty, wordOf } from './faulty-extension.js'

const TOOL_FAILED = /didn't work this time/
const INTERNAL = lineOf('system:internal')
const DEADLINE = lineOf('system:deadline')

/** Lines of the log since the last look. */
function newLines(live: LiveSystem): () => string {
  let at = live.log.length
  return () => {
    const lines = live.log.slice(at).join('\n')
    at = live.log.length
    return lines
  }
}

/** The part, what the player reads, and what the log says, if anything. */
type Case = readonly [name: string, line: string | RegExp, log: RegExp | null]

const CASES: readonly Case[] = [
  ['throws', TOOL_FAILED, /tool bad:tool_throws failed/],
  ['rejects', TOOL_FAILED, /tool bad:tool_rejects failed/],
  ['throws_in_tick', TOOL_FAILED, /tool bad:tool_throws_in_tick failed/],
  ['promises_in_tick', TOOL_FAILED, /tool bad:tool_promises_in_tick failed/],
  ['own_code', TOOL_FAILED, /tool bad:tool_own_code failed/],
  ['hostile_in_tick', TOOL_FAILED, /tool bad:tool_hostile_in_tick failed/],
  ['gives_text', TOOL_FAILED, /tool bad:tool_gives_text broke its own output schema/],
  ['gives_nothing', TOOL_FAILED, /tool bad:tool_gives_nothing broke its own output schema/],
  ['gives_more', TOOL_FAILED, /tool bad:tool_gives_more broke its own output schema/],
  ['computes', 'n is 1', /bad:(tool_)?computes computed for 2\d\d\.\d ms/],
  ['computes_in_tick', 'n is 1', /tool bad:tool_computes_in_tick took 2\d\d\.\d ms of a tick/],
  ['never', DEADLINE, null],
  ['input', TOOL_FAILED, /tool bad:tool_input failed/],
  ['transform', TOOL_FAILED, /tool bad:tool_transform failed/],
  ['output', TOOL_FAILED, /tool bad:tool_output failed/],
  ['run_throws', INTERNAL, /of module bad:run_throws failed/],
  ['run_rejects', INTERNAL, /of module bad:run_rejects failed/],
  ['run_own_code', INTERNAL, /of module bad:run_own_code failed[^]*bad:own/],
  ['run_hostile', INTERNAL, /of module bad:run_hostile failed/],
  ['run_once', 'read once', null],
  ['run_text', INTERNAL, /of module bad:run_text failed/],
  ['run_nothing', INTERNAL, /of module bad:run_nothing failed/],
  ['run_never', DEADLINE, null],
  ['run_computes', 'computed', /module bad:run_computes computed for 2\d\d\.\d ms between two awaits/],
  ['action', INTERNAL, /module bad:action|of module none failed/],
  ['from_command', INTERNAL, /a mistake of its author/],
  ['no_service', INTERNAL, /there is no service bad:missing, which module bad:no_service wants/],
  ['chat', 'hello', /chat provider bad:chat failed[^]*chat provider bad:slow_chat computed for 2/],
]

void t.test('every part of an extension that fails is contained and named', async (t) => {
  const live = await openLive(t, { register: faulty })
  const alice = await live.join('alice')
  const log = newLines(live)
  t.match(
    (await consoleSays(live, 'system status')).join('\n'),
    /^extensions: registered=1 refused=none names=faulty$/m,
  )
  for (const [name, line, logged] of CASES) {
    t.match(await alice.ask(`/system ${wordOf(name)}`), line, name)
    const lines = log()
    if (logged !== null) t.match(lines, logged, `${name} in the log`)
    t.equal(await alice.ask('/system works'), 'it works', `after ${name}`)
  }
  await loops(t, live, alice, log)

  // an example of its sentence, whose extractor throws: the model is asked in its place
  live.provider.script(good({ module: 'bad:works', input: {} }))
  t.equal(await alice.ask('/system how many purple lighthouses are there'), 'it works')
  t.match(log(), /the argument extractor of bad:extract threw/)

  await consoleSays(live, 'system revoke alice')
  t.match(log(), /bad:plugin/, 'a hook that throws keeps nobody their System')
  t.equal(live.runtime.bindings.boundTo(alice.id), null)
  t.strictSame(live.provider.errors, [])
  t.strictSame(live.stray, [], 'nothing reached the process')
})

/** What a loop asks of its tools costs an observation, and the answer comes. */
async function loops(t: Test, live: LiveSystem, alice: Seat, log: () => string): Promise<void> {
  for (const name of [...closureNames.map((closure) => `loop_${closure}`), 'absent']) {
    const answer = { type: 'answer', text: `answer of ${name}` }
    const { length } = live.provider.requests
    live.provider.script(good({ type: `bad:${name}`, input: {} }), good(answer))
    t.equal(await alice.ask('/system loop'), answer.text, name)
    const told = live.provider.requests.at(length + 1)?.body.messages.at(-1)?.content ?? ''
    // a card is for the player: the model has its observation
    if (name === 'loop_card') t.match(told, '"output":{"n":7}', name)
    else t.match(told, '"failure":{"code":"system:tool_failed"', name)
    t.match(log(), new RegExp(`tool bad:${name} failed`), `${name} in the log`)
  }
}

void t.test('an extension that fails while it registers is out, named, and nobody else is', async (t) => {
  const failing = (registration: Registration): void => {
    registration.extension('failing')
    registration.chatProvider({ id: identifier('failing:chat'), answer: () => 'never' })
    boom()
  }
  const later = (registration: Registration): unknown => {
    registration.extension('later')
    return Promise.resolve().then(boom)
  }
  const slow = (registration: Registration): void => {
    registration.extension('slow')
    compute(200)
  }
  const live = await openLive(t, {
    early: (serv) => {
      serv.on('system:register', failing)
      // a listener of plain JavaScript may be async
      serv.on('system:register', later)
      serv.on('system:register', slow)
    },
    register: faulty,
  })
  const status = (await consoleSays(live, 'system status')).join('\n')
  t.match(status, /^extensions: registered=2 refused=failing,later names=slow,faulty$/m)
  const log = live.log.join('\n')
  t.match(log, /extension failing \(failing:chat\) is not used, nothing of it/)
  t.match(log, /extension later is not used[^]*must not be async/)
  t.match(log, /extension slow took 2\d\d ms to register/)
  const alice = await live.join('alice')
  t.equal(await alice.ask(`/system ${wordOf('chat')}`), 'hello', 'its chat provider is gone')
  t.equal(await alice.ask('/system works'), 'it works')
  t.strictSame(live.stray, [])
})

void t.test('the status names so many extensions and counts the rest', async (t) => {
  const extensions = Array.from({ length: 18 }, (_, at) => (registration: Registration) => {
    registration.extension(`plugin-${at}`)
    if (at === 17) boom()
  })
  const live = await openLive(t, {
    early: (serv) => extensions.forEach((extension) => serv.on('system:register', extension)),
  })
  const names = extensions.slice(0, 16).map((_, at) => `plugin-${at}`)
  t.equal((await live.status())['extensions'], `registered=18 refused=plugin-17 names=${names.join(',')},+2`)
})

void t.test(
  'what an extension was given is as it was for everybody else, whatever it does to it',
  async (t) => {
    const changes: readonly ((registration: Registration) => object)[] = [
      (registration) => registration,
      (registration) => registration.use(CLOCK),
      (registration) => registration.use(LOGGER),
      (registration) => registration.use(TRACE),
      (registration) => registration.use(CHAT),
    ]
    const live = await openLive(t, {
      early: (serv) => {
        for (const given of changes) {
          serv.on('system:register', (registration: Registration) => {
            const taken = given(registration)
            for (const name of Object.getOwnPropertyNames(taken)) Object.assign(taken, { [name]: boom })
          })
        }
      },
      register: faulty,
    })
    t.match((await consoleSays(live, 'system status')).join('\n'), /^extensions: registered=1 refused=/m)
    const alice = await live.join('alice')
    t.equal(await alice.ask('/system works'), 'it works')
    t.match(await alice.ask('/system throws'), TOOL_FAILED)
    t.match(live.log.join('\n'), /tool bad:tool_throws failed/)
    const { services } = live.runtime
    t.strictSame(Object.keys(services.get(TRACE, 'a test')), ['on'], 'nobody ends what others hear')
    t.strictSame(Object.keys(services.get(CHAT, 'a test')), ['answer'], 'nobody registers later')
    t.strictSame(live.stray, [])
  },
)
