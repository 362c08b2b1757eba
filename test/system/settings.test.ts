/** A player's own settings on a real server: by command and by card, what is shown is what is kept. */
import t from 'tap'
import { componentText, type Component } from '../../lib/text/index.js'
import { completions } from '../support/command-client.js'
import { DEFAULT_VERSION } from '../support/squid.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  openSystem,
  temporaryFolder,
  type Reader,
} from '../support/system.js'

/** Presses what begins so, and gives the card that comes. */
async function press(reader: Reader, card: Component, label: string): Promise<Component> {
  const found = buttonsOf(card).find((button) => button.label.startsWith(label))
  if (found === undefined) throw new Error(`no ${label} in ${componentText(card)}`)
  return reader.ask(found.command)
}

const status = async (system: Parameters<typeof consoleSays>[0], name: string): Promise<string> =>
  (await consoleSays(system, `system status ${name}`)).find((line) => line.startsWith('settings: ')) ?? ''

void t.test('every setting by command, with completion; kept over a restart', async (t) => {
  const configFolder = await temporaryFolder(t)
  const options = { settings: { configFolder }, config: { 'system-surface': { surface: 'plain' } } } as const
  const system = await openSystem(t, DEFAULT_VERSION, options)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  t.match(await alice.askText('/system settings'), /^Your settings\n\* External AI: on {2}\[turn off\]\n/)
  t.equal(
    await alice.askText('/system settings surface default'),
    'Cards appear: as plain text (as the server has it)',
  )
  t.strictSame(await completions(alice.client, '/system settings '), [
    'externalAi',
    'freeChat',
    'history',
    'notifications',
    'sounds',
    'surface',
    'language',
  ])
  t.strictSame(await completions(alice.client, '/system settings language '), ['en_us', 'zh_cn', 'default'])
  for (const [line, shown, kept] of [
    ['externalAi off', /^External AI: off$/, 'externalAi=false'],
    ['freechat off', /^Free chat: off$/, 'freeChat=false'],
    ['history off', /^History: off$/, 'history=false'],
    ['notifications off', /^Notifications: off$/, 'notifications=false'],
    ['SOUNDS OFF', /^Sounds: off$/, 'sounds=false'],
    ['surface chat', /^Cards appear: in the chat$/, 'surface=chat'],
    ['language ZH_CN', /^语言：简体中文$/, 'language=zh_cn'],
    ['externalAi on', /^外部 AI：开$/, 'externalAi=true'],
  ] as const) {
    t.match(await alice.askText(`/system settings ${line}`), shown, line)
    t.match(await status(system, 'alice'), kept, line)
  }
  for (const line of ['language de_de', 'surface ceiling', 'sounds default', 'language', 'loudness on'])
    t.match(await alice.askText(`/system settings ${line}`), /不|缺/, line)
  await system.stop()

  const again = await openSystem(t, DEFAULT_VERSION, options)
  const back = await joinReader(t, again, 'alice')
  await back.rest()
  t.equal(await back.askText('/system settings language default'), 'Language: that of your game')
  t.match(await status(again, 'alice'), 'notifications=false sounds=false surface=chat language=null')
  t.match(await back.askText('/system settings'), /\nSounds: off {2}\[turn on\]\n/)
  t.strictSame([await back.rest(), system.errors, again.errors], [[], [], []])
})

void t.test('the card: a press shows what is kept, a choice has a card of its own', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const bob = await joinReader(t, system, 'bob', 'zh_cn')
  await bob.next()
  const first = await bob.ask('/system settings')
  t.strictSame(
    buttonsOf(first).map(({ label }) => label),
    [
      '外部 AI：开  [关闭]',
      '自由聊天：开  [关闭]',
      '历史记录：开  [关闭]',
      '通知：开  [关闭]',
      '声音：开  [关闭]',
      '卡片显示：在聊天栏中（由服务器决定）  [选择]',
      '语言：与游戏相同  [选择]',
    ],
  )
  const second = await press(bob, first, '历史记录')
  t.match(componentText(second), '历史记录：关  [开启]')
  t.match(await status(system, 'bob'), 'history=false')
  t.match(componentText(await press(bob, first, '历史记录')), /用过|旧|过期|失效/, 'a button works once')
  const choice = await press(bob, second, '语言')
  t.strictSame(
    buttonsOf(choice).map(({ label }) => label),
    ['English', '简体中文', '与游戏相同（已选）', '[返回设置]'],
  )
  t.match(componentText(await press(bob, second, '声音')), /已有新版本/, 'in its place')
  const back = await press(bob, choice, '[返回设置]')
  const chosen = await press(bob, await press(bob, back, '语言'), 'English')
  t.match(componentText(chosen), /^Your settings\n[^]*Language: English/, 'drawn in the new language')
  const surfaces = await press(bob, chosen, 'Cards appear')
  t.match(componentText(await press(bob, surfaces, 'in the chat')), /Cards appear: in the chat {2}\[choose\]/)
  t.match(await status(system, 'bob'), /surface=chat language=en_us/)
  t.strictSame([await bob.rest(), system.errors], [[], []])
})
