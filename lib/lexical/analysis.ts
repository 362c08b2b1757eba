/** Stands for an item's name in example sentences and in masked queries; one unit of its own. */
export const ITEM_MARK = '{item}'

/** One word, or one character of a script that is written without spaces. */
export interface Unit {
  readonly text: string
  /** UTF-16 offsets in the folded text. */
  readonly start: number
  readonly end: number
  /** Only blanks, or nothing, stand between the previous unit and this one. */
  readonly joined: boolean
}

const ASCII = /^[\0-\x7f]*$/
const COMBINING = /[\u0300-\u036f]/g

/**
 * The text as all lexical parts compare it: compatibility forms, case and diacritics folded (NFKC at the end).
 * Kana keep their voicing marks, which are letters of their own. Folding twice changes nothing.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  // upper before lower case: `ß` and `ſ` have no lower-case form of their own
  const cased = text.normalize('NFKD').toUpperCase().toLowerCase()
  return cased.normalize('NFKD').replace(COMBINING, '').normalize('NFKC')
}

/** Kinds of characters; 0 in the table of seen characters means not classified yet. */
const KIND = { unknown: 0, other: 1, blank: 2, word: 3, cjk: 4, apostrophe: 5 } as const

/** First and last code points of the scripts that are cut into characters: Han, kana, Hangul. */
const CJK_RANGES: readonly (readonly [number, number])[] = [
  [0x3005, 0x3007],
  [0x3041, 0x30ff],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xff66, 0xff9f],
  [0x20000, 0x3ffff],
]
const WORD = /[\p{L}\p{N}\p{M}]/u
// hyphens and underscores join the words of an id
const BLANK = /[\s_-]/u
const APOSTROPHES = "'\u2018\u2019\u02bc`"

function classify(code: number): number {
  if (CJK_RANGES.some(([first, last]) => code >= first && code <= last)) return KIND.cjk
  const character = String.fromCodePoint(code)
  if (APOSTROPHES.includes(character)) return KIND.apostrophe
  if (BLANK.test(character)) return KIND.blank
  return WORD.test(character) ? KIND.word : KIND.other
}

/** Kinds of the characters seen so far: the regular expressions run once per character, not once per query. */
const seen = new Uint8Array(0x10000)

function kindAt(text: string, offset: number): number {
  const code = text.codePointAt(offset)
  if (code === undefined) return KIND.other
  if (code > 0xffff) return classify(code)
  const known = seen[code] ?? KIND.unknown
  if (known !== KIND.unknown) return known
  return (seen[code] = classify(code))
}

/** Whether the unit is one character of a script without spaces: it may stand inside of a longer word. */
export const isCharacter = (unit: Unit): boolean => kindAt(unit.text, 0) === KIND.cjk

const width = (text: string, offset: number): number => ((text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1)

/** The end of the word that starts at `start`; an apostrophe between letters belongs to the word. */
function wordEnd(text: string, start: number): number {
  let end = start
  while (end < text.length) {
    const kind = kindAt(text, end)
    if (kind === KIND.apostrophe && kindAt(text, end + 1) === KIND.word) end += 1
    else if (kind !== KIND.word) break
    end += width(text, end)
  }
  return end
}

const dropApostrophes = (word: string): string => word.replace(/['\u2018\u2019\u02bc`]/g, '')

/** Cuts folded text into units; apostrophes inside words vanish (`what's` is `whats`). Symbols and emoji give none. */
export function scanUnits(folded: string): Unit[] {
  const units: Unit[] = []
  let joined = false
  let at = 0
  while (at < folded.length) {
    const kind = kindAt(folded, at)
    let end = at + width(folded, at)
    let text: string | undefined
    if (kind === KIND.cjk) text = folded.slice(at, end)
    else if (kind === KIND.word) {
      end = wordEnd(folded, at)
      text = dropApostrophes(folded.slice(at, end))
    } else if (folded.startsWith(ITEM_MARK, at)) {
      end = at + ITEM_MARK.length
      text = ITEM_MARK
    }
    if (text !== undefined) units.push({ text, start: at, end, joined: joined && units.length > 0 })
    // an apostrophe at the edge of a word (`bottle o' enchanting`) parts nothing
    joined = text !== undefined || ((kind === KIND.blank || kind === KIND.apostrophe) && joined)
    at = end
  }
  return units
}

/** The features of a sentence: its units and each pair of adjacent ones. Sentences without units have none. */
export function featuresOf(units: readonly Unit[]): string[] {
  const features: string[] = []
  let previous: Unit | undefined
  for (const unit of units) {
    features.push(unit.text)
    if (previous !== undefined && unit.joined) features.push(`${previous.text} ${unit.text}`)
    previous = unit
  }
  return features
}
