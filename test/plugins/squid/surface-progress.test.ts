import t from 'tap'
import { CardBook, CardTypes, ButtonTokens } from '../../../lib/cards/index.js'
import { randomIds } from '../../../lib/core/ids.js'
import { silentLogger } from '../../../lib/core/logger.js'
import { ManualClock } from '../../../lib/testing/index.js'
import { componentText, Languages, type Component } from '../../../lib/text/index.js'
import { Requests } from '../../../plugins/squid/requests.js'
import { Surface } from '../../../plugins/squid/surface/index.js'
import { ALICE } from '../../support/cards.js'
import { FakeWindows } from '../../support/surface-rig.js'
import type { SquidPlayer } from '../../../plugins/squid/types.js'
import { textEra } from '../../../plugins/squid/text/index.js'
import { FAST_POLICY, type ExecutionContext } from '../../../lib/agent/index.js'
import { identifier } from '../../../lib/core/ids.js'
import { z } from 'zod'
import { openLive } from '../../support/live-system.js'
import { DEFAULT_VERSION, bootSquid, joinRaw } from '../../support/squid.js'

const TEXTS = new Map([['en_us', { one: 'one', two: 'two', three: 'three', four: 'four' }]])

void t.test('above the hotbar: the first message at once, then the latest of each tick', async (t) => {
  const { serv, port } = await bootSquid(t, DEFAULT_VERSION)
  await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  const alice = serv.getPlayer('alice') as SquidPlayer
  const shown: string[] = []
  const tokens = new ButtonTokens({ ids: randomIds, clock: new ManualClock() })
  const surface = new Surface({
    era: textEra(serv),
    sender: {
      system() {},
      actionBar: (_client: unknown, component: Component) => shown.push(componentText(component)),
    },
    languages: new Languages(TEXTS, 'en_us'),
    tokens,
    cards: new CardBook({ ids: randomIds, types: new CardTypes([]), tokens }),
    logger: silentLogger,
    languageOf: () => 'en_us',
    mayPress: () => true,
    screens: { windows: new FakeWindows(), openBook: () => true },
    preferred: () => 'chat',
    onProgress: () => {},
    onPress: () => {},
  })
  const say = (key: string): void => surface.progress({ player: alice, id: ALICE }, { key })
  const seen = (): string[] => shown.splice(0)

  say('one')
  t.strictSame(seen(), ['one'])
  say('two')
  say('three')
  t.strictSame(seen(), [], 'nobody could read the second one')
  surface.tick()
  t.strictSame(seen(), ['three'])
  surface.tick()
  t.strictSame(seen(), [], 'nothing is shown twice')

  say('four')
  surface.endProgress(alice)
  surface.tick()
  t.strictSame(seen(), [], 'nothing after the end')
  say('one')
  t.strictSame(seen(), ['one'], 'the next request begins anew')

  say('two')
  alice.disconnected = true
  surface.tick()
  alice.disconnected = false
  surface.tick()
  t.strictSame(seen(), [], 'nothing to somebody who left')
})

void t.test('a line that is refused takes nothing from the request that runs', async (t) => {
  const id = identifier('test:waits')
  let end = (): void => {}
  const live = await openLive(t, {
    register: (registration) =>
      registration.module({
        id,
        version: 1,
        action: z.strictObject({}),
        description: 'Waits.',
        help: { key: 'system.command.help.me' },
        tools: [],
        policy: FAST_POLICY,
        routing: { selection: 'NORMAL', fromCommand: () => ({}) },
        async execute(context: ExecutionContext) {
          context.progress({ key: 'one' })
          await new Promise<void>((resolve) => (end = resolve))
          return { status: 'succeeded', message: null, cards: [] }
        },
      }),
  })
  const asker = await live.join('alice')
  const told: string[] = []
  const surface = {
    progress: (_: unknown, { key }: { key: string }) => told.push(key),
    endProgress: () => told.push('end'),
    failure: (_: SquidPlayer, { code }: { code: string }) => told.push(code),
    outcome: (_: unknown, { failure }: { failure?: { code: string } }) => told.push(failure?.code ?? 'ok'),
  } as unknown as Surface
  const requests = new Requests(live.runtime, surface, { take: () => 'ok' })
  const running = requests.command(asker, id, '')
  await requests.command(asker, id, '')
  t.strictSame(told, ['one', 'system:request_active'])
  end()
  await running
  t.strictSame(told.slice(2), ['end', 'ok'])
})
