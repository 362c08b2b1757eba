import type { Component } from '../../lib/text/index.js'
import { paintComponent, tint, type Paint } from './paint.js'

/** What a player sees, as lines of a terminal. */
export class Screen {
  readonly #paint: Paint
  readonly #print: (line: string) => void

  constructor(paint: Paint, print: (line: string) => void) {
    this.#paint = paint
    this.#print = print
  }

  heading(text: string): void {
    this.#print(tint(text, 'bold', this.#paint.colors))
  }

  /** Something that happens in the world. */
  aside(text: string): void {
    this.#print('')
    this.#print(tint(`  * ${text}`, 'dim', this.#paint.colors))
  }

  /** What the player types, or the button that is clicked. */
  typed(text: string): void {
    this.#print('')
    this.#print(tint(`> ${text}`, 'bold', this.#paint.colors))
  }

  /** The lines of a message, without colours. */
  read(component: Component): string[] {
    return paintComponent(component, { ...this.#paint, colors: false })
  }

  /** A message in the chat. */
  chat(component: Component): void {
    for (const line of paintComponent(component, this.#paint)) this.#print(`  ${line}`)
  }

  /** The line above the hotbar. */
  actionBar(component: Component): void {
    const text = this.read(component).join(' ')
    this.#print(tint(`  ~ ${text}`, 'dim', this.#paint.colors))
  }

  /** That a step was right, and how it was answered. */
  right(how: string): void {
    this.#print(`  ${tint('✓', 'good', this.#paint.colors)} ${tint(how, 'dim', this.#paint.colors)}`)
  }

  wrong(what: string): void {
    this.#print(`  ${tint(`✗ ${what}`, 'bad', this.#paint.colors)}`)
  }
}
