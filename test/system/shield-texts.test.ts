/** What the shield says for the System is said in the player's own language. */
import t from 'tap'
import { heard } from '../plugins/squid/shield/support.js'
import { DEFAULT_VERSION, nextEvent } from '../support/squid.js'
import { joinReader, openSystem } from '../support/system.js'

interface Answer {
  readonly matches: readonly { readonly match: string; readonly tooltip?: unknown }[]
}

for (const version of ['1.16.5', DEFAULT_VERSION]) {
  void t.test(`${version}: completion and refusals`, async (t) => {
    const system = await openSystem(t, version)
    const { client } = await joinReader(t, system, 'alice', 'zh_cn')
    await heard(client, '系统已与你绑定')
    const answer = nextEvent<Answer>(client, 'tab_complete')
    client.write('tab_complete', { transactionId: 7, text: '/system c' })
    const { matches } = await answer
    t.equal(matches[0]?.match, 'cancel')
    t.match(JSON.stringify(matches[0]?.tooltip), '停止正在进行的请求', 'each offer says what it does')
    client.say('/kill @e')
    await heard(client, '你没有权限使用该命令')
  })
}
