import { readFile, stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parseJson } from '../../../lib/core/json.js'
import { isIdentifier } from '../../../lib/core/ids.js'
import { componentText } from '../../../lib/text/index.js'
import { EXIT, UsageError } from '../tool.js'
import { coloured, windowLines, type Write } from './draw.js'
import { picture, SURFACES, type Picture } from './picture.js'
import { lookAt, type Look, type Seen } from './look.js'

export const CARD_HELP = `flying-squid-system card <card> --data <json> [options]

Shows a card as players see it in the chat and as a window, in the form that packs give it. <card> is the id of a card type,
such as system:item, or of a template in one of the packs; those of extensions are drawn without the buttons that their
type builds. Changes nothing and needs no server. Exit status: 0 nothing is wrong, 1 something is, 2 wrong usage. How
templates are made: docs/CARDS.md.

  --data <json>    data of the card; @<file> reads them from a file
  --pack <path>    a pack, folder or .zip, read after the System's own; may be given several times
  --lang <name>    language of the reader (en_us)
  --version <v>    Minecraft version of the server (1.21.4)
  --svg            a picture instead: one SVG document on standard output
  --surface <s>    what the picture is of: chat, book or window (chat)
  --page <n>       which of its pages, from 1 (1)
  --color          colours although the output is no terminal
  --json           one JSON document on standard output
  --help           this text`

const VERSION = /^\d+\.\d+(?:\.\d+)?$/
const PAGE = /^[1-9]\d{0,4}$/
const MAX_DATA_BYTES = 1_048_576

/** Runs the command; resolves with its exit status. Throws a `UsageError`. */
export async function cardCommand(words: readonly string[]): Promise<number> {
  const { values, positionals } = parse(words)
  if (values.help) {
    console.log(CARD_HELP)
    return EXIT.fine
  }
  const look = await lookOf(values, positionals)
  const wanted = pictureOf(values)
  const seen = await lookAt(look)
  if (seen === null) throw new UsageError(`neither the System nor a pack has a card ${look.type}`)
  const svg = wanted === null ? undefined : picture(seen, wanted)
  if (values.json) console.log(JSON.stringify({ ...asJson(look, seen), svg }))
  else if (svg !== undefined) {
    process.stdout.write(svg)
    for (const finding of seen.findings) console.error(`wrong: ${finding}`)
  } else say(seen, values.color || process.stdout.isTTY ? coloured : componentText)
  return seen.findings.length === 0 ? EXIT.fine : EXIT.finding
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        data: { type: 'string' },
        pack: { type: 'string', multiple: true, default: [] },
        lang: { type: 'string', default: 'en_us' },
        version: { type: 'string', default: '1.21.4' },
        svg: { type: 'boolean', default: false },
        surface: { type: 'string' },
        page: { type: 'string' },
        color: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : 'wrong arguments')
  }
}

async function lookOf(
  { data, pack, lang, version }: ReturnType<typeof parse>['values'],
  positionals: readonly string[],
): Promise<Look> {
  const [word, ...more] = positionals
  if (word === undefined || more.length > 0) throw new UsageError('card takes one card')
  const type = word.includes(':') ? word : `system:${word}`
  if (!isIdentifier(type)) throw new UsageError(`not an id: ${word}`)
  if (data === undefined) throw new UsageError('card needs --data')
  if (!VERSION.test(version)) throw new UsageError(`not a version of Minecraft: ${version}`)
  for (const path of pack)
    if ((await stat(path).catch(() => null)) === null) throw new UsageError(`there is no ${path}`)
  return { type, data: await dataOf(data), packs: pack, lang, version }
}

function pictureOf({ svg, surface, page }: ReturnType<typeof parse>['values']): Picture | null {
  if (!svg) {
    if (surface !== undefined || page !== undefined) throw new UsageError('--surface and --page need --svg')
    return null
  }
  const known = SURFACES.find((name) => name === (surface ?? 'chat'))
  if (known === undefined) throw new UsageError(`--surface is one of ${SURFACES.join(', ')}`)
  if (!PAGE.test(page ?? '1')) throw new UsageError('--page is a number from 1')
  return { surface: known, page: Number(page ?? 1) }
}

async function dataOf(given: string): Promise<unknown> {
  if (!given.startsWith('@')) return jsonOf(given, '--data')
  const path = given.slice(1)
  const found = await stat(path).catch(() => null)
  if (found?.isFile() !== true) throw new UsageError(`there is no file ${path}`)
  if (found.size > MAX_DATA_BYTES) throw new UsageError(`${path} is larger than ${MAX_DATA_BYTES} bytes`)
  return jsonOf(await readFile(path, 'utf8'), path)
}

function jsonOf(text: string, what: string): unknown {
  const value = parseJson(text)
  if (value === undefined) throw new UsageError(`${what} is no JSON`)
  return value
}

function asJson({ type, lang }: Look, { isKnown, isTemplate, chat, windows, findings }: Seen): object {
  return {
    type,
    lang,
    known: isKnown,
    template: isTemplate,
    chat,
    windows: windows.map(({ title, rows, slots }) => ({ title, rows, slots: Object.fromEntries(slots) })),
    findings,
  }
}

function say({ chat, windows, findings, isKnown }: Seen, write: Write): void {
  for (const [page, component] of chat.entries())
    console.log(`${heading('chat', page, chat)}\n${write(component)}\n`)
  for (const [page, window] of windows.entries())
    console.log(`${heading('window', page, windows)}\n${windowLines(window, write).join('\n')}\n`)
  if (!isKnown)
    console.log('this card belongs to an extension: its data were taken as they are, without its buttons')
  for (const finding of findings) console.log(`wrong: ${finding}`)
}

const heading = (surface: string, page: number, pages: readonly unknown[]): string =>
  pages.length === 1 ? `== ${surface}` : `== ${surface}, page ${page + 1} of ${pages.length}`
