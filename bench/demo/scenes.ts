import type { Message } from '../../lib/text/index.js'
import { faults } from '../../lib/testing/index.js'
import { shippedLanguages } from '../../test/support/catalogues.js'
import { WrongStep, type Conversation } from './conversation.js'
import type { Dice } from './dice.js'
import { reasoningPart } from './model-part.js'

const languages = shippedLanguages()
const english = (key: string, params: Message['params'] = {}): string =>
  languages.text({ key, params }, 'en_us')
const chinese = (key: string, params: Message['params'] = {}): string =>
  languages.text({ key, params }, 'zh_cn')

/** What the player has, and what could be made of it. */
const SUPPLIES = [
  { held: 'diamond', name: 'Diamond', count: 3, goal: 'jukebox', lacks: '8 × oak planks' },
  { held: 'iron_ingot', name: 'Iron Ingot', count: 7, goal: 'hopper', lacks: '1 × chest' },
  { held: 'gold_ingot', name: 'Gold Ingot', count: 10, goal: 'clock', lacks: '1 × redstone' },
  { held: 'string', name: 'String', count: 2, goal: 'fishing_rod', lacks: '3 × stick' },
] as const
const HOLDING = ['what am I holding?', "What's in my hand?", 'which item am i holding'] as const
const ITEMS = [
  { id: 'compass', name: 'Compass', holds: 'Iron Ingot' },
  { id: 'lantern', name: 'Lantern', holds: 'Iron Nugget' },
  { id: 'spyglass', name: 'Spyglass', holds: 'Amethyst Shard' },
  { id: 'bookshelf', name: 'Bookshelf', holds: 'Book' },
] as const
const VAGUE = [
  { says: 'I am scared of the dark', query: 'torch', shows: 'Torch' },
  { says: 'skeletons keep shooting at me', query: 'shield', shows: 'Shield' },
  { says: 'my feet hurt from all this walking', query: 'oak_boat', shows: 'Oak Boat' },
] as const
const NONSENSE = ['flux capacitor', 'unobtanium', 'quantum sock'] as const
const STORIES = ['tell me the story of the ender dragon', 'who built the strongholds?'] as const

/** What scenes play with. */
export interface Scene {
  readonly conversation: Conversation
  readonly dice: Dice
  /** Puts a stack into the player's hand, as an admin would. */
  give(item: string, count: number): Promise<void>
}

/** The whole conversation, in an order that the dice choose; stopping comes last. */
export async function playScenes(scene: Scene): Promise<void> {
  const supplies = scene.dice.pick(SUPPLIES)
  const { name } = scene.conversation.player
  await scene.give(supplies.held, supplies.count)
  scene.conversation.player.screen.aside(`${supplies.count} × ${supplies.name} is put into ${name}'s hand`)
  const scenes = [holding, itemAndRecipe, chineseRecipe, reasoning, vagueWish, nonsense]
  for (const play of scene.dice.shuffle(scenes)) await play(scene, supplies)
  await cancelling(scene)
}

type Supplies = (typeof SUPPLIES)[number]

async function holding({ conversation, dice }: Scene, { name, count }: Supplies): Promise<void> {
  await conversation.ask(`/system ${dice.pick(HOLDING)}`, {
    requests: 0,
    holds: [english('system.player.title'), english('system.player.held_item'), `${name} × ${count}`],
    how: 'understood on the server, no model request',
  })
}

async function itemAndRecipe({ conversation, dice }: Scene): Promise<void> {
  const { id, name, holds } = dice.pick(ITEMS)
  await conversation.ask(`/system item ${id}`, {
    requests: 0,
    holds: [name, english('system.item.stack_size')],
    how: 'a command: no model request',
  })
  const label = english('system.item.recipe')
  const command = await conversation.press(label, {
    requests: 0,
    holds: [english('system.recipe.title', { item: name }), holds],
    how: 'the button ran its action',
  })
  await conversation.pressAgain(label, command, {
    requests: 0,
    holds: [english('system.failure.token_used')],
    how: 'a button works once',
  })
}

async function chineseRecipe({ conversation }: Scene): Promise<void> {
  const { player } = conversation
  player.speak('zh_cn')
  player.screen.aside(`${player.name}'s client is set to Chinese`)
  await conversation.ask('/system 怎么合成 piston', {
    requests: 0,
    holds: [chinese('system.recipe.title', { item: '活塞' }), '红石粉', chinese('system.recipe.shaped')],
    how: 'understood on the server too, no model request',
  })
  player.speak('en_us')
  player.screen.aside('… and back to English')
}

async function reasoning({ conversation }: Scene, { goal, lacks }: Supplies): Promise<void> {
  const first = conversation.model.requests.length
  conversation.model.script(...reasoningPart(goal))
  await conversation.ask(`/system reason can I make a ${goal.replace('_', ' ')} with what I have?`, {
    requests: 3,
    holds: [`You still lack ${lacks}`, english('system.answer.sources', { sources: '' }).trim()],
    how: 'three model requests, two look-ups on the server',
  })
  const last = conversation.model.requests[first + 2]?.body.messages.at(-1)?.content ?? ''
  if (!last.includes('"finalOnly":true'))
    throw new WrongStep('the last request did not ask for an answer only')
}

async function vagueWish({ conversation, dice }: Scene): Promise<void> {
  const { says, query, shows } = dice.pick(VAGUE)
  conversation.model.script({ module: 'system:recipe_query', input: { query } })
  await conversation.ask(`/system ${says}`, {
    requests: 1,
    holds: [english('system.recipe.title', { item: shows })],
    how: 'one model request chose what to look up',
  })
}

async function nonsense({ conversation, dice }: Scene): Promise<void> {
  const query = dice.pick(NONSENSE)
  await conversation.ask(`/system item ${query}`, {
    requests: 0,
    holds: [query],
    how: 'refused with a reason, no model request',
  })
}

async function cancelling({ conversation, dice }: Scene): Promise<void> {
  const { model } = conversation
  model.script(faults.slowHeaders())
  const next = model.requests.length + 1
  const mark = conversation.begin(`/system ask ${dice.pick(STORIES)}`)
  const request = await model.request(next)
  await request.held
  conversation.player.type('/system cancel')
  await conversation.outcome(mark, {
    requests: 1,
    holds: [english('system.failure.cancelled')],
    how: 'stopped at once, nothing comes later',
  })
  await request.over
  if (!request.aborted) throw new WrongStep('the request to the model went on')
}

/** The first thing a player reads. */
export const WELCOME = english('system.binding.granted')
