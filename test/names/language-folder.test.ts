/** A folder of language files is the host's, and whatever lies in it costs a line of the log at most. */
import { execFileSync } from 'node:child_process'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fail, ok, type Result } from '../../lib/core/result.js'
import type { Logger } from '../../lib/core/logger.js'
import { createNamesJobs, readLanguageFolder, type NamesJob } from '../../lib/names/index.js'
import compute from '../../workers/compute.js'
import { VANILLA_LANGUAGES, WITH_LANGUAGES } from '../support/shared.js'
import { temporaryFolder } from '../support/system.js'

type Run = (job: NamesJob) => Promise<Result<unknown>>

/** Jobs cross as structured clones, as they do between threads. */
const inGroup: Run = async (job) => {
  const handler = createNamesJobs().get(job.kind)
  return structuredClone(await handler?.(structuredClone(job))) ?? fail('system:protocol')
}

async function read(folder: string, run = inGroup) {
  const lines: string[] = []
  const logger: Logger = {
    info: (line) => void lines.push(line),
    warn: (line) => void lines.push(line.replace(`language folder ${folder}: `, '')),
    error: (line) => void lines.push(line),
  }
  const names = await readLanguageFolder({ folder, run, logger })
  const languages = [...(names ?? [])].map(([language, items]) => [language, Object.fromEntries(items)])
  return { names, lines, all: Object.fromEntries(languages) as Record<string, unknown> }
}

const PISTON = '{"block.minecraft.piston":"活塞"}'

void t.test('each file that can’t be used has one line, the others are read', async (t) => {
  const folder = await temporaryFolder(t)
  const write = (name: string, text: string | Buffer) => writeFile(join(folder, name), text)
  await write('zh_cn.json', `\ufeff${PISTON}`)
  await write('lzh.json', '{"block.minecraft.piston":"鞲鞴","item.minecraft.a":5}')
  await write('JA_JP.json', '{"block.minecraft.piston":"ピストン"}')
  await write('de_de.json', '{"block.minecraft.piston":')
  await write('fr_fr.json', '[1]')
  await write('es_es.json', Buffer.from([0x7b, 0xff, 0x7d]))
  await write('it_it.json', '['.repeat(1_000_000))
  await write(
    'nl_nl.json',
    `{"item.minecraft.a":${'['.repeat(100_000)}${']'.repeat(100_000)},${PISTON.slice(1)}`,
  )
  await write('ko_kr.json', '{}')
  await truncate(join(folder, 'ko_kr.json'), 5_000_000)
  await write('pl_pl.json', '')
  await write('en_us.json', '{"gui.done":"Done"}')
  await write('readme.txt', 'no')
  await write('deprecated.json', '{"removed":[]}')
  await mkdir(join(folder, 'pt_br.json'))
  await symlink(join(folder, 'nowhere'), join(folder, 'ru_ru.json'))
  execFileSync('mkfifo', [join(folder, 'uk_ua.json')])
  const { lines, all } = await read(folder)
  t.strictSame(all, {
    zh_cn: { 'minecraft:piston': ['活塞'] },
    lzh: { 'minecraft:piston': ['鞲鞴'] },
    ja_jp: { 'minecraft:piston': ['ピストン'] },
    nl_nl: { 'minecraft:piston': ['活塞'] },
  })
  t.strictSame(lines.sort(), [
    'de_de.json is not used: not valid JSON',
    'es_es.json is not used: not UTF-8 text',
    'fr_fr.json is not used: not a JSON object',
    'it_it.json is not used: not valid JSON',
    'ko_kr.json is not used: larger than 4194304 bytes',
    'names of lzh.json that are not used (no text, too long, too many): 1',
    'names of nl_nl.json that are not used (no text, too long, too many): 1',
    'pl_pl.json is not used: not valid JSON',
    'pt_br.json is not used: not a file',
    'ru_ru.json is not used: ENOENT',
    'uk_ua.json is not used: not a file',
  ])
})

void t.test('a thousand files cost one line and the limit', async (t) => {
  const folder = await temporaryFolder(t)
  const names = Array.from({ length: 1_000 }, (_, at) => `aa_${String(at).padStart(4, '0')}.json`)
  await Promise.all(names.map((name) => writeFile(join(folder, name), PISTON)))
  const { lines, all } = await read(folder)
  t.equal(Object.keys(all).length, 256)
  t.strictSame(lines, ['744 of 1000 files are not read: 256 are the most'])
})

void t.test('a folder that is none has one line', async (t) => {
  const folder = await temporaryFolder(t)
  t.match(await read(join(folder, 'nothing')), { all: {}, lines: ["the folder can't be read (ENOENT)"] })
  await writeFile(join(folder, 'file'), '')
  t.match(await read(join(folder, 'file')), { all: {}, lines: ["the folder can't be read (ENOTDIR)"] })
})

void t.test('a group that gives no answer, or another one, gives no names', async (t) => {
  const answers: readonly Result<unknown>[] = [
    fail('system:worker_lost'),
    ok(undefined),
    ok({ files: ['../../secret'], problems: 'x' }),
    ok({ files: Array(300).fill('aa.json'), problems: [] }),
  ]
  for (const answer of answers) {
    const { names, lines } = await read('f', async () => answer)
    t.equal(names, null)
    t.equal(lines.length, 1)
  }
  const { lines } = await read('f', async () => fail('system:stopping'))
  t.strictSame(lines, [], 'a server that is closed meanwhile is no news')
  const half: Run = async (job) =>
    job.kind === 'names.list' ? ok({ files: ['aa.json'], problems: [] }) : fail('system:busy')
  t.equal((await read('f', half)).names, null, 'some of the languages are not all of them')
})

void t.test('jobs of a wrong shape are refused', async (t) => {
  const bad: readonly unknown[] = [
    { kind: 'names.list' },
    { kind: 'names.list', folder: '' },
    { kind: 'names.read', folder: 'f', file: '../zh_cn.json' },
    { kind: 'names.read', folder: 'f', file: 'zh_cn.txt' },
    { kind: 'names.read', folder: 'f', file: 'zh_cn.json', more: 1 },
  ]
  for (const job of bad) t.match(await compute(job), { ok: false, code: 'system:protocol' })
})

void t.test('vanilla language files', WITH_LANGUAGES, async (t: Test) => {
  const { names, lines } = await read(VANILLA_LANGUAGES ?? '')
  t.strictSame(lines, [])
  const chinese = new Map<string, readonly string[]>(names?.get('zh_cn'))
  t.ok(chinese.size > 1_400)
  t.strictSame(chinese.get('minecraft:piston'), ['活塞'])
  t.strictSame(chinese.get('minecraft:wheat'), ['小麦'])
})
