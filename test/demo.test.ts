import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { Dice } from '../bench/demo/dice.js'

const DEMO = fileURLToPath(new URL('../bench/demo.js', import.meta.url))

function demo(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ stdout: string }> {
  const { NO_COLOR: _, TERM: __, ...outside } = process.env
  return promisify(execFile)(process.execPath, [DEMO, ...words], {
    timeout: 60_000,
    env: { ...outside, ...env },
  })
}

void t.test('the conversation is right and leaves nothing running', async (t) => {
  const { stdout } = await demo(['--seed', '7'])
  t.match(stdout, '10 steps, all right; 5 requests went to the model.')
  t.match(stdout, '\u001b[92m', 'buttons are green')
  t.equal(stdout.match(/^> /gm)?.length ?? 0, 0, 'what is typed is bold')
})

void t.test('without colours it is plain text', async (t) => {
  const { stdout } = await demo(['--seed', '8'], { NO_COLOR: '1' })
  t.notMatch(stdout, '\u001b')
  for (const line of [
    /^> \/system 怎么合成 piston$/m,
    /^ {2}活塞/m,
    /^ {2}\[Recipe\] \[Pin\]$/m,
    /^> \[Recipe\]$/m,
    /^ {2}~ Thinking…$/m,
  ])
    t.match(stdout, line)
})

void t.test('a wrong seed is said so', async (t) => {
  await t.rejects(demo(['--seed', 'x'], { NO_COLOR: '1' }), {
    code: 1,
    stdout: /--seed takes a whole number, not x/,
  })
})

void t.test('a seed decides everything', (t) => {
  const rolls = (seed: number): unknown => {
    const dice = new Dice(seed)
    return [dice.pick(['a', 'b', 'c', 'd']), dice.shuffle([1, 2, 3, 4, 5, 6]), dice.roll(1_000)]
  }
  t.strictSame(rolls(1), rolls(1))
  t.notSame(rolls(1), rolls(2))
  t.strictSame(
    new Dice(3).shuffle([1, 2, 3, 4]).sort((a, b) => a - b),
    [1, 2, 3, 4],
  )
  t.end()
})
