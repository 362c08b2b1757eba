/**
 * `npm run demo [-- --seed N]`: a server, a player at a real client, and a conversation, printed as the player sees it.
 * Every step is checked; the exit status is 0 only if each was right. The model is a simulator on this machine.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createProviderSimulator, type ProviderSimulator } from '../lib/testing/index.js'
import * as plugin from '../plugins/index.js'
import type { SystemHandle } from '../plugins/squid/system-handle.js'
import type { SquidServer } from '../plugins/squid/types.js'
import { bootSquid, DEFAULT_VERSION } from '../test/support/squid.js'
import { ClientPlayer } from './demo/client-player.js'
import { Conversation, WrongStep } from './demo/conversation.js'
import { Dice } from './demo/dice.js'
import { tint } from './demo/paint.js'
import { playScenes, WELCOME } from './demo/scenes.js'

const require = createRequire(import.meta.url)
const TIMEOUT_MS = 60_000
/** Everything must be gone this long after the last line. */
const LEFT_MS = 5_000
/** The first slot of the hotbar in the player's own window. */
const HAND_SLOT = 36
const NAMES = ['Alex', 'Steve', 'Ari', 'Efe', 'Kai', 'Noor', 'Sunny', 'Zuri'] as const

const colors = (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
const print = (line: string): void => console.log(line)
const printWrong = (what: string): void => print(`  ${tint(`✗ ${what}`, 'bad', colors)}`)

/** Plays with everything that was opened in `undo`. */
async function play(seed: number, undo: (() => unknown)[]): Promise<void> {
  const dice = new Dice(seed)
  const model = await createProviderSimulator()
  undo.push(() => model.close())
  const serv = await openServer(model, undo)
  const port = serv._server.socketServer.address()?.port ?? 0
  print(tint(`The System on flying-squid, Minecraft ${DEFAULT_VERSION}, seed ${seed}`, 'bold', colors))
  print('')
  const name = dice.pick(NAMES)
  const player = await ClientPlayer.join({ name, port, version: DEFAULT_VERSION, colors, print })
  undo.push(() => player.leave())
  const conversation = new Conversation(player, model)
  await conversation.welcome(WELCOME)
  await playScenes({ conversation, dice, give: (item, count) => give(serv, player, { item, count }) })
  if (model.left > 0) throw new WrongStep(`${model.left} replies of the model were never asked for`)
  print('')
  print(
    tint(
      `${conversation.right} steps, all right; ${model.requests.length} requests went to the model.`,
      'bold',
      colors,
    ),
  )
}

async function openServer(model: ProviderSimulator, undo: (() => unknown)[]): Promise<SquidServer> {
  const configFolder = await mkdtemp(join(tmpdir(), 'system-demo-'))
  undo.push(() => rm(configFolder, { recursive: true, force: true }))
  const config = {
    'system-model': { provider: 'generic', baseUrl: model.url, model: 'simulator', apiKeyEnv: '' },
  }
  const settings = { configFolder, autoGrant: 'system:default', strict: true, config }
  const scope = { teardown: (fn: () => unknown) => void undo.push(fn) }
  const { serv, errors } = await bootSquid(scope, DEFAULT_VERSION, {
    plugins: { 'flying-squid-system': [plugin, settings] },
  })
  const { system } = serv as SquidServer & { readonly system: SystemHandle }
  undo.push(() => {
    if (errors[0] !== undefined) throw new WrongStep(`the server reports: ${errors[0].message}`)
  })
  if ((await system.ready) !== 'ready') throw new WrongStep('the System did not start')
  return serv
}

/** Puts a stack into the player's hand; resolves when the client has it. */
async function give(
  serv: SquidServer,
  player: ClientPlayer,
  { item, count }: { readonly item: string; readonly count: number },
): Promise<void> {
  const Item = require('prismarine-item')(serv.registry) as new (id: number, count: number) => never
  const id = serv.registry.itemsByName[item]?.id
  if (id === undefined) throw new WrongStep(`no item ${item}`)
  const seen = player.seesInventory()
  serv.getPlayer(player.name)?.inventory?.updateSlot(HAND_SLOT, new Item(id, count))
  await seen
}

/** Runs to its end, closes everything that was opened, and says whether all was right. */
async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } })
  const seed = Number(values.seed)
  if (!Number.isSafeInteger(seed)) {
    printWrong(`--seed takes a whole number, not ${values.seed}`)
    return false
  }
  const undo: (() => unknown)[] = []
  let isRight = true
  const failed = (thrown: unknown): void => {
    isRight = false
    printWrong(thrown instanceof WrongStep ? thrown.message : String((thrown as Error).stack ?? thrown))
  }
  await play(seed, undo).catch(failed)
  for (const close of undo.reverse()) await Promise.resolve().then(close).catch(failed)
  return isRight
}

const timeout = setTimeout(() => {
  printWrong(`not done within ${TIMEOUT_MS / 1000} s`)
  process.exit(1)
}, TIMEOUT_MS)
process.on('unhandledRejection', (reason) => {
  printWrong(`unhandled: ${String(reason)}`)
  process.exit(1)
})

void main().then((isRight) => {
  clearTimeout(timeout)
  process.exitCode = isRight ? 0 : 1
  // with nothing left the process has ended long before
  setTimeout(() => {
    printWrong(`something still runs: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, LEFT_MS).unref()
})
