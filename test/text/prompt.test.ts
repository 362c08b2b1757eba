import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import {
  filledPrompt,
  overrideFault,
  promptFault,
  promptRules,
  standardValues,
} from '../../lib/text/index.js'
import { codeOf, valueOf } from '../support/player-store.js'

const rule = promptRules([['own', 'For {{who}} in {{game}}.']])['own'] ?? { required: [], optional: [] }

void t.test('a text in the place of a prompt: its placeholders, and no others', async (t) => {
  t.same(rule, { required: ['who'], optional: ['game', 'answer_limit'] })
  for (const [text, fault] of [
    ['{{who}}', null],
    ['{{who}} {{who}} {{answer_limit}} {{game}}', null],
    ['{"a":{"b":{{who}}}}', null],
    ['nobody', 'lacks the placeholder {{who}}'],
    ['{{ who }}', 'has an unknown placeholder {{ who }}'],
    ['{{who}} {{password}}', 'has an unknown placeholder {{password}}'],
    ['{{who}} {{toString}}', 'has an unknown placeholder {{toString}}'],
    ['{{who}} {{}}', 'has an unknown placeholder {{}}'],
    [`{{who}} {{${'x'.repeat(500)}}}`, `has an unknown placeholder {{${'x'.repeat(40)}}}`],
  ] as const)
    t.equal(overrideFault(text, rule), fault, text.slice(0, 40))
})

void t.test('values are put in literally, once', async (t) => {
  const values = { who: '{{game}} $& $1', ...standardValues('1.21.4') }
  t.equal(valueOf(filledPrompt('{{who}} in {{game}}', values)), '{{game}} $& $1 in Minecraft 1.21.4')
  t.equal(codeOf(filledPrompt('{{nobody}}', values)), 'system:internal')
  t.equal(codeOf(filledPrompt('{{constructor}}', values)), 'system:internal')
})

void t.test('a prompt’s own placeholders are names', async (t) => {
  t.equal(promptFault('{{who}} and { { or }} {{a_1}}'), null)
  t.equal(promptFault('{{Who}}'), '{{Who}} is no placeholder')
  t.equal(promptFault('{{a b}}'), '{{a b}} is no placeholder')
})

/** What a workflow fills in beside what is the same everywhere. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = { 'signin.txt': { candidates: '[]' } }

void t.test('shipped prompts ask for nothing but what is always there', async (t) => {
  for (const name of readdirSync('prompts')) {
    const text = readFileSync(`prompts/${name}`, 'utf8')
    t.equal(codeOf(filledPrompt(text, { ...standardValues('1.16.5'), ...OWN[name] })), 'ok', name)
    t.match(text, /conversation/, `${name} says what a conversation is`)
  }
})
