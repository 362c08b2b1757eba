import { shippedLanguages } from '../../test/support/catalogues.js'
import type { Component } from '../../lib/text/index.js'
import type { ProviderSimulator } from '../../lib/testing/index.js'
import type { ClientPlayer } from './client-player.js'

/** A step that was not as it should be. */
export class WrongStep extends Error {}

/** What a step must lead to. */
export interface Expected {
  /** Requests that reach the model meanwhile. */
  readonly requests: number
  /** What the one message must hold. */
  readonly holds: readonly (string | RegExp)[]
  /** What is said of the step when all was right. */
  readonly how: string
}

const ANSWER_MS = 10_000
/** How long after an outcome a second message would be noticed. */
const QUIET_MS = 250
/** A person reads before typing on; the limit of five texts at once, then one per 2 s, is never met. */
const READING_MS = 800

/** How the line begins that says, once and before the first request, where text goes. */
const [NOTICE = ''] = shippedLanguages()
  .text({ key: 'system.ai.first_use', params: { host: '…' } }, 'en_us')
  .split('…')

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** What player and System say to each other, each step checked. The first wrong one throws a WrongStep. */
export class Conversation {
  readonly player: ClientPlayer
  readonly model: ProviderSimulator
  #right = 0
  #notices = 0

  constructor(player: ClientPlayer, model: ProviderSimulator) {
    this.player = player
    this.model = model
  }

  /** Steps that were right so far. */
  get right(): number {
    return this.#right
  }

  /** Waits for the sentence that comes with being granted; the server's own greetings may stand around it. */
  async welcome(sentence: string): Promise<void> {
    const { player } = this
    const isGreeted = (): boolean => player.heard.some((message) => player.read(message) === sentence)
    while (!isGreeted()) {
      if (!(await player.hears(player.heard.length, ANSWER_MS)))
        throw new WrongStep('the System was not granted')
    }
    await pause(QUIET_MS)
    this.#rightly('granted on joining')
    await pause(READING_MS)
  }

  /** Types a line and checks what comes of it. */
  async ask(line: string, expected: Expected): Promise<void> {
    const before = this.#mark()
    this.player.type(line)
    await this.outcome(before, expected)
  }

  /** Clicks the newest button with that label and checks what comes of it; returns the command that it sent. */
  async press(label: string, expected: Expected): Promise<string> {
    const command = this.player.button(label)
    if (command === undefined) throw new WrongStep(`no card has a button [${label}]`)
    if (!command.startsWith('/system act ')) throw new WrongStep(`the button [${label}] runs ${command}`)
    await this.pressAgain(label, command, expected)
    return command
  }

  /** Clicks a button that may have been used already. */
  async pressAgain(label: string, command: string, expected: Expected): Promise<void> {
    const before = this.#mark()
    this.player.click(label, command)
    await this.outcome(before, expected)
  }

  /** Types a line whose outcome comes later; returns the mark to check it from. */
  begin(line: string): Mark {
    const before = this.#mark()
    this.player.type(line)
    return before
  }

  /** Waits for the one message since the mark and checks it. */
  async outcome(before: Mark, { requests, holds, how }: Expected): Promise<void> {
    const answers = (): readonly Component[] =>
      this.player.heard.slice(before.heard).filter((message) => !this.#isNotice(message))
    for (let heard = before.heard; answers().length === 0; heard = this.player.heard.length)
      if (!(await this.player.hears(heard, ANSWER_MS))) throw new WrongStep('no answer came')
    await pause(QUIET_MS)
    const messages = answers()
    this.#notices += this.player.heard.length - before.heard - messages.length
    if (this.#notices > 1) throw new WrongStep('where text goes was said twice')
    if (messages.length !== 1) throw new WrongStep(`${messages.length} messages came instead of one`)
    for (const message of messages) this.#check(message, holds)
    const asked = this.model.requests.length - before.requests
    if (asked !== requests) throw new WrongStep(`${asked} model requests were made instead of ${requests}`)
    const [problem] = this.model.errors
    if (problem !== undefined) throw new WrongStep(`the model was asked wrongly: ${problem}`)
    this.#rightly(how)
    await pause(READING_MS)
  }

  #rightly(how: string): void {
    this.#right++
    this.player.screen.right(how)
  }

  #mark(): Mark {
    return { heard: this.player.heard.length, requests: this.model.requests.length }
  }

  #isNotice(message: Component): boolean {
    return this.player.read(message).startsWith(NOTICE)
  }

  #check(message: Component, holds: Expected['holds']): void {
    const text = this.player.read(message)
    for (const part of holds) {
      const isThere = typeof part === 'string' ? text.includes(part) : part.test(text)
      if (!isThere) throw new WrongStep(`the answer lacks ${String(part)}`)
    }
  }
}

/** Where a step began. */
export interface Mark {
  readonly heard: number
  readonly requests: number
}
