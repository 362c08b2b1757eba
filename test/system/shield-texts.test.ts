/** What the shield says for the System is said in the player's own language. */
import { join } from 'node:path'
import t from 'tap'
import { heard } from '../plugins/squid/shield/support.js'
import { clientSettings, DEFAULT_VERSION, nextEvent } from '../support/squid.js'
import { joinReader, openSystem, temporaryFolder } from '../support/system.js'

interface Answer {
  readonly matches: readonly { readonly match: string; readonly tooltip?: unknown }[]
}

for (const version of ['1.16.5', DEFAULT_VERSION]) {
  void t.test(`${version}: completion and refusals`, async (t) => {
    const system = await openSystem(t, version, {
      squid: { worldFolder: join(await temporaryFolder(t), 'world') },
    })
    const { client } = await joinReader(t, system, 'alice', 'zh_cn')
    await heard(client, '系统已与你绑定')
    const answer = nextEvent<Answer>(client, 'tab_complete')
    client.write('tab_complete', { transactionId: 7, text: '/system c' })
    const { matches } = await answer
    t.equal(matches[0]?.match, 'cancel')
    t.match(JSON.stringify(matches[0]?.tooltip), '停止正在进行的请求', 'each offer says what it does')
    client.say('/kill @e')
    await heard(client, '你没有权限使用该命令')

    client.write('settings', clientSettings('en_us'))
    client.say('/system settings language zh_cn')
    await heard(client, '简体中文')
    const ended = nextEvent(client, 'end')
    await joinReader(t, system, 'alice', 'en_us')
    await ended
    t.match(JSON.stringify(client.received.at(-1)), '你在别处登录了', 'what is chosen counts')
  })
}
