import fc from 'fast-check'
import t from 'tap'
import { PACK_LIMITS } from '../../lib/packs/limits.js'
import { parsePattern } from '../../lib/packs/pattern.js'

const PLENTY = 1_000_000

function find(source: string, text: string): boolean | null | string {
  const pattern = parsePattern(source)
  return typeof pattern === 'string' ? pattern : pattern(text, { left: PLENTY })
}

void t.test('what is found is what RegExp finds', async (t) => {
  const atom = fc.constantFrom(
    ...String.raw`a b / . \. [ab] [^a] [a-c/] [\w.-] \d \w ^ $ (?:a|b) (ab|a) (a|) [\]a]`.split(' '),
  )
  const times = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?')
  const part = fc.tuple(atom, times).map(([a, n]) => ('^$'.includes(a) ? a : a + n))
  const pattern = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''))
  const either = fc.tuple(pattern, pattern).map(([a, b]) => `(${a})|(${b})*`)
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '/', '.', '1'), maxLength: 10 })
  fc.assert(
    fc.property(fc.oneof(pattern, either), text, (source, text) => {
      const found = find(source, text)
      return found === new RegExp(source).test(text) || !t.equal(found, source)
    }),
    { numRuns: 3_000 },
  )
  t.equal(find('advancement/.*', 'advancement/story/root.json'), true)
})

void t.test('what takes a backtracking matcher years takes no time', async (t) => {
  const text = `${'a'.repeat(200)}!`
  for (const source of [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a*)*b',
    '^(.*a){40}$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ])
    t.equal(find(source, text), false, source)
})

void t.test('steps are bounded', async (t) => {
  const pattern = parsePattern('(.*a.*|.*b.*){9}')
  const budget = { left: 1_000 }
  t.equal(typeof pattern === 'string' ? pattern : pattern('c'.repeat(500), budget), null)
})

void t.test(
  'a match costs steps even when it ends at once, and leaves nothing behind for the next',
  async (t) => {
    const pattern = parsePattern('^(a|b){1,99}$')
    if (typeof pattern === 'string') return t.fail(pattern)
    const budget = { left: 100_000 }
    let matches = 0
    while (pattern(matches % 2 === 0 ? '' : 'ab', budget) !== null) {
      t.equal(pattern('abc', budget) ?? false, false)
      matches += 1
    }
    t.ok(matches > 10 && matches < 10_000, `${matches} matches`)
    t.equal(pattern('ba', { left: PLENTY }), true)
  },
)

const REFUSED: [string, RegExp][] = [
  ['(?=a)', /groups that begin with/],
  ['(?!a)', /groups that begin with/],
  ['(?i)a', /groups that begin with/],
  ['(a)\\1', /escape '\\1'/],
  ['\\Qa', /escape '\\Q'/],
  ['a++', /repetition of a repetition/],
  ['*a', /behind nothing/],
  ['a{3,1}', /from more to less/],
  ['((a{999}){999}){999}', /this large/],
  ['(((((){999}){999}){999}){999}){999}', /this large/],
  ['(((((|){0,999}){0,999}){0,999}){0,999}){0,999}', /this large/],
  ['(((((){999,}){999,}){999,}){999,}){999,}', /this large/],
  ['((((^{999}){999}){999}){999})', /this large/],
  ['(a', /without/],
  ['a)', /without/],
  ['[a', /without/],
  ['[a&&b]', /inside of/],
  ['a\\', /escape/],
  ['a'.repeat(PACK_LIMITS.patternUnits + 1), /longer than/],
]
for (const [source, reason] of REFUSED) {
  void t.test(`refused: ${source.slice(0, 30)}`, async (t) => {
    t.match(parsePattern(source), reason)
  })
}
