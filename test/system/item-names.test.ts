/** Item names of other languages on a server: from the host's folder to what players ask. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { componentText } from '../../lib/text/index.js'
import { VANILLA_LANGUAGES, WITH_LANGUAGES } from '../support/shared.js'
import { DEFAULT_VERSION } from '../support/squid.js'
import { buttonsOf, consoleSays, joinReader, openSystem, temporaryFolder } from '../support/system.js'

void t.test('with vanilla language files players ask in Chinese', WITH_LANGUAGES, async (t) => {
  const settings = { languageFolder: VANILLA_LANGUAGES }
  const system = await openSystem(t, DEFAULT_VERSION, { settings })
  t.ok(system.log.some((line) => line.includes('item names in 2 languages')))
  const alice = await joinReader(t, system, 'alice')
  const bob = await joinReader(t, system, 'bob', 'zh_cn')
  await alice.next()
  await bob.next()

  const recipe = await bob.ask('/system 怎么合成活塞')
  t.match(componentText(recipe), / 的合成方法\n/)
  t.match(JSON.stringify(recipe), /"translate":"block\.minecraft\.piston"/, 'the client names it')
  t.match(await alice.askText('/system 怎么合成活塞'), /^How to craft /, 'whatever language the client has')
  t.match(await bob.askText('@system 铁剑怎么做'), / 的合成方法\n/)
  const routes = (await consoleSays(system, 'system status')).find((line) => line.startsWith('routes: '))
  t.equal(routes, 'routes: structured=0 command=0 local=3 cache=0 model=0 event=0')
  t.equal(system.provider.requests.length, 0)

  const item = await bob.ask('/system item 活塞')
  t.match(JSON.stringify(item), /"translate":"block\.minecraft\.piston"/)
  t.match(componentText(item), /minecraft:piston/)
  t.match(componentText(await bob.ask('/system recipe 活塞')), / 的合成方法\n/)
  const discs = await bob.ask('/system 音乐唱片是什么')
  t.equal(buttonsOf(discs).length, 10, 'eight of nineteen, the way to the others, and the pin')
  t.match(await alice.askText('/system item Piston'), /minecraft:piston/)
  t.strictSame([await alice.rest(), await bob.rest(), system.errors], [[], [], []])
})

void t.test(
  'a reload reads the folder again; a bad file and a missing folder cost a line each',
  async (t) => {
    const languageFolder = await temporaryFolder(t)
    const write = (name: string, text: string) => writeFile(join(languageFolder, name), text)
    await write('ja_jp.json', '{"block.minecraft.piston":"ピストン"}')
    await write('de_de.json', '{"block')
    const system = await openSystem(t, DEFAULT_VERSION, { settings: { languageFolder } })
    const warnings = () => system.log.filter((line) => line.includes('language folder'))
    t.equal(warnings().length, 1)
    t.match(warnings()[0], /de_de\.json is not used: not valid JSON/)
    const alice = await joinReader(t, system, 'alice', 'ja_jp')
    await alice.next()
    t.match(await alice.askText('/system item ピストン'), /minecraft:piston/)
    await write(
      'ja_jp.json',
      '{"block.minecraft.piston":"ぴすとん","system.alias.minecraft.piston":"押すやつ"}',
    )
    await rm(join(languageFolder, 'de_de.json'))
    t.match(await consoleSays(system, 'system reload'), [
      /nothing in use/,
      /^Packs read again/,
      'Item names read again, languages: 1',
    ])
    t.match(await alice.askText('/system item 押すやつ'), /minecraft:piston/)
    t.match(await alice.askText('/system item ピストン'), /ピストン/)
    await rm(languageFolder, { recursive: true })
    t.equal((await consoleSays(system, 'system reload')).length, 2)
    t.match(warnings()[1], /can't be read \(ENOENT\)/)
    t.match(await alice.askText('/system item 押すやつ'), /minecraft:piston/, 'the names before hold')
    t.strictSame([await alice.rest(), system.errors], [[], []])
  },
)
