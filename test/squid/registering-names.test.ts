import { CostTypes } from '../../lib/costs/index.js'
import { RewardTypes } from '../../lib/rewards/index.js'
import t from 'tap'
import {
  CHAT,
  CLOCK,
  LOGGER,
  serviceKey,
  TRACE,
  TraceStream,
  type Registration,
} from '../../lib/agent/index.js'
import { silentLogger, type Logger } from '../../lib/core/logger.js'
import { ManualClock } from '../../lib/testing/index.js'
import { Languages } from '../../lib/text/index.js'
import { registerAll } from '../../plugins/squid/registering.js'
import { chat, GREETER, run, tool } from '../support/registering.js'
import { toolContext } from '../support/tool-context.js'

void t.test('an extension is called by its own word, its first id, or its place', (t) => {
  const oops = (): never => {
    throw new Error('oops')
  }
  const { extensions, log } = run([
    (r) => {
      r.extension('Weather-2')
      r.tool(tool('my:tool'))
      oops()
    },
    (r) => {
      r.texts('en_us', { 'x.y': 'z' })
      r.tool(tool('item.other'))
      r.tool(tool('their:tool'))
      oops()
    },
    oops,
  ])
  t.strictSame(extensions, { registered: [], refused: ['Weather-2', 'their', 'unnamed (3 of 3)'] })
  t.match(log, [
    /^extension Weather-2 \(my:tool\) is not used.*: Error: oops/,
    /^extension their \(item\.other, their:tool\) is not used/,
    /^extension unnamed \(3 of 3\) is not used/,
  ])
  t.throws(() => run([(r) => (r.extension('w'), oops())], true), /^extension w: oops/)
  t.end()
})

void t.test('services: ours are there first; what one extension offers the next may use', async (t) => {
  const heard: string[] = []
  const { services, chatProviders, log } = run([
    (r) => {
      for (const key of [CLOCK, LOGGER, TRACE, CHAT]) t.ok(r.use<object>(key as never), key.id)
      r.service(GREETER, (name) => `Hello ${name}`)
      r.chatProvider(chat)
    },
    (r) => heard.push(r.use(serviceKey<(name: string) => string>('my:greeter'))('Ann')),
    (r) => {
      r.service(serviceKey('their:thing'), 1)
      throw new Error('oops')
    },
    (r) => r.use(serviceKey('their:thing')),
  ])
  t.strictSame(heard, ['Hello Ann'])
  t.equal(services.get(GREETER, 'the test')('Bo'), 'Hello Bo')
  t.same(await chatProviders.answer(toolContext([]), 'hi'), {
    ok: true,
    value: { provider: 'my:chat', text: 'hello' },
  })
  t.match(log[1], /there is no service their:thing, which extension unnamed \(4 of 4\) wants/)
  t.throws(() => serviceKey('greeter'), /no id of the form/)
})

void t.test('what another extension has already is named with it', (t) => {
  const { log } = run([(r) => r.tool(tool('first:tool')), (r) => r.tool(tool('first:tool'))])
  t.match(log, [/tool first:tool is registered twice: extension first has it already/])
  t.end()
})

void t.test('who holds up the start is named', (t) => {
  const clock = new ManualClock()
  const log: string[] = []
  const logger: Logger = { ...silentLogger, warn: (line) => void log.push(line) }
  const trace = new TraceStream({ clock, logger })
  const languages = new Languages(new Map([['en_us', {}]]))
  const slow = (r: Registration): void => {
    r.extension('slow')
    clock.advance(200)
  }
  registerAll({
    features: [],
    costs: new CostTypes(),
    rewards: new RewardTypes(),
    extensions: [slow],
    languages,
    clock,
    logger,
    trace,
    strict: false,
  })
  t.match(log, [/extension slow took 200 ms to register/])
  t.end()
})
