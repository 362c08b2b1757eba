import type { PlayerId } from '../../lib/core/ids.js'
import { isOpenOrder, ORDERS } from '../../lib/inventory/index.js'
import { catalogueOf } from './catalogue.js'
import { countsOf } from './packs/index.js'
import type { Runtime } from './runtime.js'

/** A status line: a stable key that scripts read, and its value. */
export type StatusLine = readonly [key: string, value: string]

/** So many names stand in a line. */
const SHOWN_NAMES = 16

/** What the server's status is read from. */
export interface StatusSources {
  readonly runtime: Runtime
  readonly shield: ReadonlyMap<string, string>
  readonly online: number
}

/** The server's status. Keys and forms are a contract with scripts: they stay, in English. */
export function serverStatus({ runtime, shield, online }: StatusSources): readonly StatusLine[] {
  const { engine, meter, breaker, tickQueue, groups, sessions, bindings } = runtime
  const routes = engine.log.routes()
  const slowest = engine.log.slowest()
  const used = meter.state()
  const ticks = tickQueue.state()
  const { total, currency } = runtime.usage.ledger.day()
  const bound = [...sessions.all()].filter(({ player }) => bindings.systemOf(player) !== null).length
  const threads = (['agent', 'storage', 'compute'] as const).map(
    (name) => `${name}=${groups[name].state().threads}`,
  )
  return [
    ['state', 'ready'],
    ['players', `online=${online} bound=${bound}`],
    ['model', runtime.model ?? 'none'],
    ['ai', `default=${runtime.preferences.worldDefault}`],
    ['breaker', breaker.describe()],
    ['routes', pairs(routes)],
    ['routing', routingState(runtime)],
    ['requests', pairs(engine.state())],
    [
      'slowest',
      slowest === null ? 'none' : `module=${slowest.module ?? 'none'} ms=${Math.round(slowest.tookMs)}`,
    ],
    ['events', pairs(engine.events.state())],
    [
      'model-calls',
      `today=${used.calls} tokens=${used.tokens} running=${used.running} waiting=${used.waiting}`,
    ],
    [
      'usage',
      `day=${used.day} cost-micro=${total.cost} currency=${currency || 'none'} estimated=${total.estimated} unpriced=${total.unpriced} ledger=${runtime.usage.saver.state()}`,
    ],
    [
      'ticks',
      `on-arrival=${ticks.ranOnArrival} in-tick=${ticks.ranInTick} waiting=${ticks.waiting} slow=${ticks.slow}`,
    ],
    ['threads', threads.join(' ')],
    ['thread-breaker', threadBreaker(groups.agent.state())],
    ['extensions', extensionState(runtime)],
    ...contentLines(runtime),
    catalogueLine(runtime),
    ['items', runtime.items.lane.status()],
    ['orders', pairs(openOrders(runtime))],
    ['storage', storageState(runtime)],
    ['shield', [...shield].map(([name, state]) => `${name}=${state}`).join(' ')],
  ]
}

/** Why a player's data can't be used, if so, and its last requests, oldest first: ids, codes and counts, no text. */
export function playerStatus(runtime: Runtime, player: PlayerId): readonly StatusLine[] {
  const system = runtime.bindings.boundTo(player)
  const isMissing = system !== null && runtime.bindings.systemOf(player) === null
  const problem = runtime.store.problems().find((found) => found.player === player)
  const requests = runtime.engine.log
    .recent(player)
    .map(({ id, module, source, modelCalls, code }): StatusLine => [
      'request',
      `${id} module=${module ?? 'none'} source=${source ?? 'none'} model-calls=${modelCalls} code=${code}`,
    ])
  const data: readonly StatusLine[] = problem === undefined ? [] : [['data', problem.failure.code]]
  const { admin, own, level } = runtime.preferences.state(player)
  // of whom nothing can be read nothing is known
  const ai: readonly StatusLine[] =
    problem === undefined
      ? [
          ['ai', `level=${level} admin=${admin ?? 'none'}`],
          ['settings', pairs(own)],
        ]
      : []
  return [['system', isMissing ? `${system} (missing)` : (system ?? 'none')], ...ai, ...data, ...requests]
}

/** One JSON document: repeated keys become lists. */
export function statusJson(lines: readonly StatusLine[]): string {
  const document: Record<string, unknown> = Object.create(null)
  for (const [key, value] of lines) {
    const before = document[key]
    document[key] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return JSON.stringify(document)
}

/** How sentences find their module without a model; the limits are those that the examples gave. */
function routingState({ local }: Runtime): string {
  const { mode, limits, examples } = local.state()
  const isNever = limits !== null && limits.confidence > 1
  const number = (limit: number | undefined): string =>
    limit === undefined ? 'pending' : isNever ? 'none' : limit.toFixed(3)
  return `mode=${mode} threshold=${number(limits?.confidence)} coverage=${number(limits?.coverage)} examples=${examples}`
}

/** How many other plugins have registered, who was taken out again, and who is there. */
function extensionState({ extensions: { registered, refused } }: Runtime): string {
  return `registered=${registered.length} refused=${listed(refused)} names=${listed(registered)}`
}

/** Whether the threads that ask models are off after crashes, and for how many seconds; and how many crashed. */
function threadBreaker({ breaker, crashes }: ReturnType<Runtime['groups']['agent']['state']>): string {
  const state = breaker.open ? `open(${Math.ceil(breaker.remainingMs / 1_000)})` : 'closed'
  return `agent=${state} crashes=${crashes}`
}

/** What packs hold and what of it is left out. */
function contentLines({ packs }: Runtime): readonly StatusLine[] {
  const { registries, ...counts } = countsOf(packs.current)
  return [
    ['packs', pairs(counts)],
    ['registries', pairs(registries)],
  ]
}

function catalogueLine(runtime: Runtime): StatusLine {
  const state = catalogueOf(runtime.commerce, runtime.content())
  return ['catalogue', pairs({ ...state, unusable: state.unusable.length })]
}

/** Of players who are here: those that are not decided, and those that wait for an admin or a save. */
function openOrders({ sessions, store }: Runtime): { readonly open: number; readonly doubted: number } {
  const orders = [...sessions.all()].flatMap(({ player }) => store.online(player)?.get(ORDERS) ?? [])
  const doubted = orders.filter(({ state }) => state === 'PAYMENT_UNKNOWN').length
  return { open: orders.filter(isOpenOrder).length, doubted }
}

/** Changes and commits since the start, players whose data can't be used, and data of types that nobody registered. */
function storageState({ store }: Runtime): string {
  const absent = [...store.absentTypes().values()].reduce((sum, count) => sum + count, 0)
  return `${pairs(store.counts())} unusable=${store.problems().length} absent=${absent}`
}

/** The first names, and how many more there are. */
function listed(names: readonly string[]): string {
  const more = names.length > SHOWN_NAMES ? [`+${names.length - SHOWN_NAMES}`] : []
  return [...names.slice(0, SHOWN_NAMES), ...more].join(',') || 'none'
}

const pairs = (values: object): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(' ')
