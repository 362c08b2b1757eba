/** What can be wrong with what lies on the disk. docs/TOOLS.md says what each means to a host. */
export const FINDINGS = [
  'locked',
  'unreadable',
  'newer',
  'too_large',
  'not_a_file',
  'foreign_name',
  'unfinished_move',
  'chat_bounds',
  'items',
  'orders',
  'usage',
] as const
export type FindingCode = (typeof FINDINGS)[number]

/** What a host may want to know and needn't do anything about. */
export const NOTES = [
  'nothing_here',
  'abandoned_lock',
  'left_over',
  'set_aside',
  'other_file',
  'unknown_type',
  'chat_left_over',
  'revoke_unfinished',
  'previous_only',
  'next_login',
] as const
export type NoteCode = (typeof NOTES)[number]

/** One line of the report. */
export interface Remark<Code extends string> {
  readonly code: Code
  /** Below the data folder or, `playerdata/…`, the world folder; `/` between names. */
  readonly file: string
  /** What of the file, where it isn't all of it. */
  readonly part?: string
  readonly message: string
}
export type Finding = Remark<FindingCode>
export type Note = Remark<NoteCode>

/** So many of each kind are listed; all are counted. */
const MAX_LISTED = 10_000

/** What a check has found so far. */
export class Report {
  readonly findings: Finding[] = []
  readonly notes: Note[] = []
  readonly #counts = new Map<string, number>()
  readonly #told: (kind: 'finding' | 'note', remark: Finding | Note) => void

  constructor(told: (kind: 'finding' | 'note', remark: Finding | Note) => void = () => {}) {
    this.#told = told
    for (const what of ['files', 'players', 'parts', 'findings', 'notes']) this.count(what, 0)
  }

  finding(code: FindingCode, about: Omit<Finding, 'code'>): void {
    this.count('findings')
    const finding = { code, ...about }
    if (this.findings.length < MAX_LISTED) this.findings.push(finding)
    this.#told('finding', finding)
  }

  note(code: NoteCode, about: Omit<Note, 'code'>): void {
    this.count('notes')
    const note = { code, ...about }
    if (this.notes.length < MAX_LISTED) this.notes.push(note)
    this.#told('note', note)
  }

  count(what: string, more = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more)
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }
}
