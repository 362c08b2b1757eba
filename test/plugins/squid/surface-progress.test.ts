import t from 'tap'
import { CardBook, CardTypes, ButtonTokens } from '../../../lib/cards/index.js'
import { randomIds } from '../../../lib/core/ids.js'
import { silentLogger } from '../../../lib/core/logger.js'
import { ManualClock } from '../../../lib/testing/index.js'
import { componentText, Languages, type Component } from '../../../lib/text/index.js'
import { NO_SCREENS, RENDERERS, Surface } from '../../../plugins/squid/surface/index.js'
import type { SquidPlayer } from '../../../plugins/squid/types.js'
import { textEra } from '../../../plugins/squid/text/index.js'
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
    renderers: RENDERERS,
    screens: NO_SCREENS,
    preferred: () => 'chat',
    onPress: () => {},
  })
  const say = (key: string): void => surface.progress(alice, { key })
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
