/** `warn`: it works, with a drawback. */
export type Status = 'ok' | 'warn' | 'fail'

/** One thing that was looked at. */
export interface Finding {
  readonly status: Status
  readonly what: string
  /** What was seen, and what to do about it. */
  readonly text: string
}

/** What has been found so far, in order; each is said when it is found. */
export class Findings {
  readonly all: Finding[] = []
  readonly #say: (finding: Finding) => void

  constructor(say: (finding: Finding) => void) {
    this.#say = say
  }

  ok(what: string, text: string): void {
    this.#add({ status: 'ok', what, text })
  }

  warn(what: string, text: string): void {
    this.#add({ status: 'warn', what, text })
  }

  fail(what: string, text: string): void {
    this.#add({ status: 'fail', what, text })
  }

  get isSound(): boolean {
    return this.all.every(({ status }) => status !== 'fail')
  }

  #add(finding: Finding): void {
    this.all.push(finding)
    this.#say(finding)
  }
}
