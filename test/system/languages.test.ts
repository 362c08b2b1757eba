/** In which language a player reads: its own choice, else its client's, else English; on every version, and when it changes. */
import { join } from 'node:path'
import t from 'tap'
import { componentText, type Component } from '../../lib/text/index.js'
import { eventually } from '../support/eventually.js'
import { writePack } from '../support/packs.js'
import {
  clientSettings,
  DEFAULT_VERSION,
  joinRaw,
  nextEvent,
  VERSIONS,
  type RawClient,
} from '../support/squid.js'
import { buttonsOf, consoleSays, joinReader, openSystem, Reader, temporaryFolder } from '../support/system.js'

const HELP = { en_us: /Stop the running request/, zh_cn: /停止正在进行的请求/ }

/** What a completion says of itself. */
async function tooltip(client: RawClient, text: string): Promise<string> {
  const answer = nextEvent<{ readonly matches: readonly { readonly tooltip?: unknown }[] }>(
    client,
    'tab_complete',
  )
  client.write('tab_complete', { transactionId: 9, text })
  return JSON.stringify((await answer).matches[0]?.tooltip)
}

const commandOf = (card: Component, label: string): string =>
  buttonsOf(card).find((button) => button.label.startsWith(label))?.command ?? `no ${label}`

for (const version of VERSIONS)
  void t.test(
    `${version}: the client's language, from the first line on, and when it is changed`,
    async (t) => {
      const system = await openSystem(t, version)
      // vanilla tells it before the game from 1.20.2 on, and not again
      const settingsPhase = ['1.16.5', '1.20.1'].includes(version) ? 'play' : 'configuration'
      const bob = new Reader(
        await joinRaw(t, system.port, version, 'bob', { locale: 'zh_cn', settingsPhase }),
      )
      t.equal(await bob.nextText(), '系统已与你绑定。用 /system 向我提问，或试试 /system help。')
      t.match(await bob.askText('/system help'), HELP.zh_cn)
      t.match(await tooltip(bob.client, '/system canc'), HELP.zh_cn)
      const card = await bob.ask('/system settings')
      t.match(componentText(card), /^你的设置/)

      bob.client.write('settings', clientSettings('en_US'))
      t.match(await bob.askText(commandOf(card, '声音')), /^Your settings\n/, 'a card that is open')
      t.match(await tooltip(bob.client, '/system canc'), HELP.en_us)
      t.equal(await bob.askText('/system settings language zh_cn'), '语言：简体中文')
      bob.client.write('settings', clientSettings('fr_fr'))
      t.match(await bob.askText('/system help'), HELP.zh_cn, 'what is chosen counts')
      t.match(await tooltip(bob.client, '/system canc'), HELP.zh_cn)
      t.match(await bob.askText('/system settings language default'), /^Language: /, 'no text in French')
      t.strictSame([await bob.rest(), system.errors, bob.client.clientErrors], [[], [], []])
    },
  )

void t.test('a language of a pack: offered, chosen, English where it has no sentence', async (t) => {
  const folder = await temporaryFolder(t)
  const pack = (texts: Record<string, string>): Promise<string> =>
    writePack(join(folder, 'german'), { 'data/ours/lang/de_de.json': texts })
  const german = { 'system.language': 'Deutsch', 'system.settings.title': 'Deine Einstellungen' }
  const packs = [await pack(german)]
  const system = await openSystem(t, DEFAULT_VERSION, { settings: { packs } })
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  const choice = await alice.ask(commandOf(await alice.ask('/system settings'), 'Language'))
  t.match(componentText(choice), /Deutsch\nde_de\n/)
  const chosen = await alice.askText(commandOf(choice, 'Deutsch'))
  t.match(chosen, /^Deine Einstellungen\nExternal AI: on/)
  t.match(chosen, /Language: Deutsch/)
  const austrian = await joinReader(t, system, 'carl', 'de_at')
  await austrian.next()
  t.match(await austrian.askText('/system settings'), /^Deine Einstellungen\n/, 'beside another region')

  system.provider.script({ type: 'answer', text: 'Hallo.' })
  t.equal(await alice.askText('/system ask wie spät ist es?'), 'Hallo.')
  t.match(JSON.stringify(system.provider.requests.at(-1)?.body.messages), /de_de/, 'the model is told')

  t.equal(await alice.askText('/system settings language zh_cn'), '语言：简体中文')
  const card = await alice.ask('/system settings')
  const offered = await alice.ask(commandOf(card, '语言'))
  await pack({})
  await consoleSays(system, 'system reload')
  t.match(await alice.askText(commandOf(offered, 'Deutsch')), /已有新版本/, 'gone since it was offered')
  t.match(await alice.askText('/system settings language de_de'), /language|语言/)
  t.strictSame([await alice.rest(), await austrian.rest(), system.errors], [[], [], []])
})

void t.test('a choice whose texts are gone counts again when they are back', async (t) => {
  const folder = await temporaryFolder(t)
  const pack = (texts: Record<string, string>): Promise<string> =>
    writePack(join(folder, 'german'), { 'data/ours/lang/de_de.json': texts })
  const german = { 'system.settings.title': 'Deine Einstellungen' }
  const packs = [await pack(german)]
  const system = await openSystem(t, DEFAULT_VERSION, { settings: { packs } })
  const bob = await joinReader(t, system, 'bob', 'zh_cn')
  await bob.next()
  t.match(await bob.askText('/system settings language de_de'), /^Language: de_de$/)
  t.match(await bob.askText('/system settings'), /^Deine Einstellungen/)
  const model = async (): Promise<string> => {
    system.provider.script({ type: 'answer', text: 'ok' })
    await bob.askText('/system ask x')
    const body = JSON.stringify(system.provider.requests.at(-1)?.body.messages)
    return /[a-z]{2}_[a-z]{2}/.exec(body)?.[0] ?? ''
  }
  t.equal(await model(), 'de_de')
  await pack({})
  await consoleSays(system, 'system reload')
  t.match(await bob.askText('/system settings'), /^你的设置/)
  t.equal(await model(), 'zh_cn')
  await pack(german)
  await consoleSays(system, 'system reload')
  t.match(await bob.askText('/system settings'), /^Deine Einstellungen/)
  t.equal(await model(), 'de_de')
  bob.client.end('bye')
  await eventually(() => system.serv.players.length === 0)
  const back = await joinReader(t, system, 'bob', 'zh_cn')
  await back.rest()
  t.match(await back.askText('/system settings'), /^Deine Einstellungen/)
  t.strictSame(system.errors, [])
})
