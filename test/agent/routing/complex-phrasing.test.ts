import t from 'tap'
import { complexPhrasing, type ComplexPhrasing } from '../../../lib/agent/routing/index.js'
import { foldText } from '../../../lib/lexical/index.js'

const CASES: readonly [string, ComplexPhrasing | null][] = [
  ['where am I?', null],
  ['how do I make {item}?', null],
  ['how do you make a {item}', null],
  ['can you tell me what I am holding', null],
  ['我在哪？', null],
  ['你能告诉我我在哪吗', null],
  ['我当前的位置', null],
  ['我还有多少血', null],
  ['{item}是不是食物', null],
  ['我有没有经验', null],
  ['i want a plant', null],
  ['where am I and what do I hold', 'several'],
  ['where am I? what do I hold?', 'several'],
  ['{item} or stone', 'several'],
  ['is {item} better than stone', 'several'],
  ['what is the difference of {item}', 'several'],
  ['怎么合成{item}和火把', 'several'],
  ['先告诉我我在哪，然后回家', 'several'],
  ['我在哪？我有多少血', 'several'],
  ["don't show my inventory", 'negation'],
  ['dont show my inventory', 'negation'],
  ['show everything except my inventory', 'negation'],
  ['我不想看背包', 'negation'],
  ['别给我看背包', 'negation'],
  ['show my inventory if I am hungry', 'condition'],
  ['when do I need {item}', 'condition'],
  ['如果我饿了怎么办', 'condition'],
  ['我饿的话吃什么', 'condition'],
  ['how do I make that', 'reference'],
  ['what about {item}', 'reference'],
  ['tell me more', 'reference'],
  ['那个怎么做', 'reference'],
  ['它怎么合成', 'reference'],
  ['where are you', 'other-person'],
  ['what is he holding', 'other-person'],
  ['where are we', 'other-person'],
  ['你在哪', 'other-person'],
  ['他手里拿的是什么', 'other-person'],
  ['where am i '.repeat(30), 'long'],
]

void t.test('what is more than one plain wish is named', async (t) => {
  for (const [text, kind] of CASES) t.equal(complexPhrasing(foldText(text)), kind, text)
})
