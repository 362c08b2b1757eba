/** A world with Systems of its own, and an extension with a kind of module, a workflow, a tool and a kind of condition. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { FAST_POLICY, shown, type Registration } from '../../lib/agent/index.js'
import { cardOf, type CardType } from '../../lib/cards/index.js'
import type { Condition } from '../../lib/conditions/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { RecordedRequest } from '../../lib/testing/index.js'
import { consoleSays, temporaryFolder, type Reader, type SystemServer } from './system.js'

export const GRANTED = 'The System is now with you. Ask me anything with /system, or try /system help.'
export const CLOSED = "That isn't open to you here."
export const MISSING =
  "Your System isn't on this server at the moment. It works again when it is back; please ask an admin if that takes long."
export const NO_PERMISSION = 'You are not allowed to do that, please ask an admin if you need it.'

/** Files by path below the pack: texts as they are, all else as JSON. */
export type WorldFiles = Readonly<Record<string, unknown>>

const META = { 'pack.mcmeta': { pack: { pack_format: 61, description: 'a pack of the world' } } }

/** One System with items and reasoning, one with the player's state and trains. */
export const TWO_SYSTEMS: WorldFiles = {
  'data/test/system/system/items.json': { name: 'Items', modules: ['system:items', 'system:reasoning'] },
  'data/test/system/system/player.json': {
    name: 'Player',
    modules: ['system:player', 'test:north'],
  },
  'data/test/system/system_module/north.json': { type: 'test:trains', line: 'north' },
}

/** Path of a definition or a configuration of ours. */
export const definition = (name: string): string => `data/test/system/system/${name}.json`
export const configuration = (name: string): string => `data/test/system/system_module/${name}.json`

/** Writes files of a pack into a world. */
export function putPack(world: string, files: WorldFiles, pack = 'mine'): void {
  for (const [path, content] of Object.entries({ ...META, ...files })) {
    const file = join(world, 'datapacks', pack, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
}

/** A world's folder with one pack. */
export async function moduleWorld(
  t: { teardown(fn: () => unknown): void },
  files: WorldFiles = TWO_SYSTEMS,
): Promise<string> {
  const world = await temporaryFolder(t)
  putPack(world, files)
  return world
}

/** Gives a System from the console; the player's line about it is taken. */
export async function grant(system: Pick<SystemServer, 'serv'>, reader: Reader, id: string): Promise<void> {
  await consoleSays(system, `system grant ${id} ${reader.client.username}`)
  const line = await reader.nextText()
  if (line !== GRANTED) throw new Error(`not the line of a grant: ${line}`)
}

/** What a model is told, of routing (`modules`) or in a loop (`tools`). */
interface ModelMessage {
  readonly modules: readonly { readonly id: string }[]
  readonly tools: readonly { readonly id: string }[]
  readonly observations?: readonly Readonly<Record<string, unknown>>[]
}

/** What the model was told in a request. */
export const toldOf = ({ body }: RecordedRequest): ModelMessage =>
  JSON.parse(body.messages[1]?.content ?? '') as ModelMessage

const linesSchema = z.strictObject({ lines: z.string() })
const linesCard: CardType<z.infer<typeof linesSchema>> = {
  id: identifier('test:lines'),
  schema: linesSchema,
  build: ({ lines }) => ({
    title: null,
    lines: [{ kind: 'text', text: lines }],
    buttons: [
      button('test.again', 'test:timetable'),
      button('test.state', 'system:player_info'),
      {
        ...button('test.item', 'system:item_query'),
        action: server('system:item_query', { query: 'piston' }),
      },
      { label: { key: 'test.word' }, action: { kind: 'suggest', command: '/system recipe ' } },
    ],
  }),
}
const server = (module: string, params: Readonly<Record<string, string>> = {}) =>
  ({ kind: 'server', module: identifier(module), params }) as const
const button = (key: string, module: string) => ({ label: { key }, action: server(module) })

const SENTENCES = {
  'test.help': 'Trains of your lines',
  'test.again': 'Again',
  'test.state': 'State',
  'test.item': 'Piston',
  'test.word': 'Recipe',
}

/** What the extension counts and is told. */
export interface Trains {
  /** How often the tool ran. */
  looked: number
  /** Whether the extension's condition holds. */
  isHoliday: boolean
}

/** `/system trains` lists the player's lines; `test:train` looks one up; `test:holiday` holds on holidays. */
export const trains =
  (state: Trains) =>
  (registration: Registration): void => {
    registration.moduleType({
      id: identifier('test:trains'),
      parameters: { line: z.string().min(1), platforms: z.int().min(1).default(2) },
      modules: [identifier('test:timetable')],
    })
    registration.conditionType<Condition & { readonly on: boolean }>({
      id: identifier('test:holiday'),
      members: () => ({ on: z.boolean() }),
      test: ({ on }) => state.isHoliday === on,
    })
    registration.cardType(linesCard)
    registration.texts('en_us', SENTENCES)
    registration.tool({
      type: {
        id: 'test:train',
        input: z.strictObject({}),
        output: z.strictObject({ due: z.int() }),
        kind: 'game',
        write: false,
        reasoning: 'When the next train leaves.',
      },
      owner: identifier('test:trains'),
      handler: () => {
        state.looked += 1
        return { due: 7 }
      },
    })
    registration.module({
      id: identifier('test:timetable'),
      version: 1,
      action: z.strictObject({}),
      description: 'lists trains',
      help: { key: 'test.help' },
      tools: ['test:train'],
      policy: FAST_POLICY,
      routing: {
        selection: 'NORMAL',
        command: { name: 'trains' },
        examples: { en_us: ['show all trains of my lines', 'which trains run today'] },
        extract: () => ({}),
      },
      execute: async (context) => {
        const lines = context
          .configurations(identifier('test:trains'))
          .map(
            ({ id, parameters }) => `${id} ${String(parameters['line'])} ${String(parameters['platforms'])}`,
          )
          .join('; ')
        return shown(cardOf(linesCard, { lines: `Trains: ${lines}` }))
      },
    })
  }
