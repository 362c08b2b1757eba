import { readFile, readdir } from 'node:fs/promises'
import t from 'tap'
import { z } from 'zod'

const ROOT = new URL('../../../', import.meta.url)
const texts = async (language: string): Promise<Record<string, string>> =>
  z
    .record(z.string(), z.string())
    .parse(
      JSON.parse(
        await readFile(new URL(`datapacks/default/data/system/lang/${language}.json`, ROOT), 'utf8'),
      ),
    )
const OWN = /^system\.(?:item|recipe|player)\./
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort()

void t.test('both languages have the same keys and placeholders', async (t) => {
  const [english, chinese] = await Promise.all([texts('en_us'), texts('zh_cn')])
  for (const key of Object.keys({ ...english, ...chinese }).filter((key) => OWN.test(key)))
    t.strictSame(placeholders(chinese[key] ?? 'missing'), placeholders(english[key] ?? 'missing {key}'), key)
})

void t.test('every key that the code names has a text', async (t) => {
  const english = await texts('en_us')
  for (const folder of ['lib/items', 'lib/player'])
    for (const file of await readdir(new URL(folder, ROOT))) {
      const source = await readFile(new URL(`${folder}/${file}`, ROOT), 'utf8')
      for (const [, key = ''] of source.matchAll(/'(system\.(?:item|recipe|player)\.\w+)'/g))
        t.ok(english[key], `${file}: ${key}`)
    }
  const { PLAYER_LABELS } = await import('../../lib/player/player-info.js')
  for (const label of PLAYER_LABELS) t.ok(english[`system.player.${label}`], label)
  for (const mode of ['survival', 'creative', 'adventure', 'spectator'])
    t.ok(english[`system.player.mode_${mode}`], mode)
})
