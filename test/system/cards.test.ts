/** What a player of each version gets: the announcement, cards in its own language, buttons that work exactly once. */
import t, { type Test } from 'tap'
import { componentText, type Component } from '../../lib/text/index.js'
import { allParts } from '../support/component.js'
import { shippedLanguages } from '../support/catalogues.js'
import { firstGraph, acceptsLine, graphsOf } from '../support/command-client.js'
import { ShiftedClock } from '../support/shifted-clock.js'
import { DEFAULT_VERSION, VERSIONS, clientSettings, joinBot, nextEvent } from '../support/squid.js'
import { buttonsOf, joinReader, openSystem, type Reader, type SeenButton } from '../support/system.js'

const languages = shippedLanguages()

/** What the shipped language file says. */
const words = (lang: string) => {
  const failed = (code: string): string => languages.text({ key: `system.failure.token_${code}` }, lang)
  return {
    granted: languages.text({ key: 'system.binding.granted' }, lang),
    stackSize: languages.text(
      {
        key: 'system.card.row',
        params: { label: languages.text({ key: 'system.item.stack_size' }, lang), value: '64' },
      },
      lang,
    ),
    recipe: `[${languages.text({ key: 'system.item.recipe' }, lang)}]`,
    list: languages.text({ key: 'system.item.list_title', params: { query: 'stairs' } }, lang),
    used: failed('used'),
    outdated: failed('outdated'),
    expired: failed('expired'),
    unknown: failed('unknown'),
  }
}
const EN = words('en_us')
const ZH = words('zh_cn')

const partOf = (card: Component, text: string): Component | undefined =>
  allParts(card).find((part) => componentText(part) === text)

const button = (card: Component, label: RegExp): SeenButton => {
  const found = buttonsOf(card).find((seen) => label.test(seen.label))
  if (found === undefined) throw new Error(`no button ${String(label)} in ${componentText(card)}`)
  return found
}

for (const version of VERSIONS) {
  void t.test(version, async (t) => {
    const clock = new ShiftedClock()
    const system = await openSystem(t, version, { clock })
    const alice = await joinReader(t, system, 'alice', 'en_us')
    const bob = await joinReader(t, system, 'bob', 'zh_cn')

    await t.test('a System is granted, announced, and in the command graph', async (t) => {
      for (const [reader, words] of [
        [alice, EN],
        [bob, ZH],
      ] as const) {
        const line = await reader.next()
        t.equal(componentText(line), words.granted)
        t.equal(line.color, 'green')
        await firstGraph(reader.client)
        const latest = graphsOf(reader.client).at(-1)
        t.ok(latest !== undefined && acceptsLine(latest, 'system item diamond'), 'commands of a bound player')
      }
    })

    t.not(EN.granted, ZH.granted)
    await t.test('a card in the own language, with colours and click', async (t) => {
      for (const [reader, words] of [
        [alice, EN],
        [bob, ZH],
      ] as const) {
        const card = await reader.ask('/system item piston')
        const item = allParts(card).find((part) => 'translate' in part)
        t.match(
          item,
          { translate: 'block.minecraft.piston', color: 'aqua', bold: true },
          'the client names the item',
        )
        t.match(partOf(card, '64'), { color: 'white' })
        t.ok(partOf(card, words.stackSize), 'a row')
        const recipe = allParts(card).find((part) => part.clickEvent !== undefined)
        t.match(recipe, { color: 'green', clickEvent: { action: 'run_command' } })
        t.equal(recipe && componentText(recipe), words.recipe)
        t.match(recipe?.clickEvent?.value, /^\/system act [\w-]{22}$/)
      }
    })

    await t.test('a click acts once, and for its own player only', (t) => pressing(t, alice, bob))
    await t.test('a button of an older revision', (t) => paging(t, alice))

    await t.test('an expired button', async (t) => {
      const old = button(await bob.ask('/system item piston'), /合成表/)
      const fresh = button(await alice.ask('/system item piston'), /Recipe/)
      clock.advance(10 * 60_000)
      t.equal(await bob.askText(old.command), ZH.expired)
      t.equal(await alice.askText(fresh.command), EN.expired)
    })

    await t.test('the language follows the client', async (t) => {
      bob.client.write('settings', clientSettings('en_US'))
      t.equal(await bob.askText('/system act nonsense'), EN.unknown)
    })

    t.strictSame([await alice.rest(), await bob.rest()], [[], []], 'no message too many')
    t.strictSame([system.errors, alice.client.clientErrors, bob.client.clientErrors], [[], [], []])
    t.strictSame(system.provider.requests.length, 0)
  })
}

async function pressing(t: Test, alice: Reader, bob: Reader): Promise<void> {
  const { command } = button(await alice.ask('/system item piston'), /Recipe/)
  t.equal(await bob.askText(command), ZH.unknown, 'not for another player')
  const recipe = await alice.ask(command)
  t.match(componentText(recipe), /^How to craft .*piston/i, 'it still acts for its own player')
  t.equal(await alice.askText(command), EN.used)
  t.equal(await bob.askText(command), ZH.unknown)
  // two clicks in the same moment
  const { command: twice } = button(recipe, /item/)
  alice.client.say(twice)
  alice.client.say(twice)
  const answers = [await alice.nextText(), await alice.nextText()]
  t.match(
    answers.filter((answer) => answer !== EN.used),
    [/\nStack size: 64/],
  )
  t.equal(answers.filter((answer) => answer === EN.used).length, 1)
}

/** A turned page replaces its card: the buttons of the earlier revision are dead, those of the new one live. */
async function paging(t: Test, alice: Reader): Promise<void> {
  const first = await alice.ask('/system item stairs')
  t.match(componentText(first), EN.list)
  const second = await alice.ask(button(first, /more/).command)
  t.match(componentText(second), EN.list)
  t.not(componentText(second), componentText(first), 'another page')
  for (const { command, label } of buttonsOf(first).filter(({ label }) => !/more/.test(label)))
    t.equal(await alice.askText(command), EN.outdated, label)
  t.equal(await alice.askText(button(first, /more/).command), EN.used)
  const back = await alice.ask(button(second, /Back/).command)
  t.equal(componentText(back), componentText(first), 'back again')
  t.match(await alice.askText(buttonsOf(back)[0]?.command ?? ''), /\nStack size: 64/)
}

void t.test('a mineflayer bot reads the same', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const bot = await joinBot(t, system.port, DEFAULT_VERSION, 'robot')
  const said = (word: RegExp): Promise<unknown> =>
    nextEvent<unknown>(bot, 'message', (message) => word.test(String(message)))
  const answer = said(/^Diamond\n[^]*Stack size: 64/)
  bot.chat('/system item diamond')
  t.ok(await answer)
})
