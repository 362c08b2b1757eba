/** The sign-in in a kernel without a server: real store, real catalogues; packs, clock and model are the test's. */
import type { AgentModule, Outcome, Registration, Tool, ToolCall } from '../../lib/agent/index.js'
import { commerceRegistries, Display, Prices, Quotes, Trade, type Market } from '../../lib/commerce/index.js'
import { secureChance } from '../../lib/core/chance.js'
import { FailureError } from '../../lib/core/failure.js'
import { identifier, randomIds, type PlayerId } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { fail, ok } from '../../lib/core/result.js'
import { CostTypes } from '../../lib/costs/index.js'
import { INBOX, type ItemMode } from '../../lib/inventory/index.js'
import { emptyContent, type Holder } from '../../lib/registry/index.js'
import { RESOURCES, RewardTypes } from '../../lib/rewards/index.js'
import { SIGNIN, signinFeature, type SigninCard } from '../../lib/signin/index.js'
import type { ModuleConfiguration } from '../../lib/systems/index.js'
import { ScriptedModel } from '../../lib/testing/index.js'
import type { Transaction } from '../../lib/storage/index.js'
import { contentOf } from '../support/content.js'
import { FaultyDriver } from '../support/faulty-driver.js'
import { TestKernel, type KernelSetup } from '../support/kernel.js'

export const SIGNIN_ID = 'system:signin'

/** Plain rewards of one item each, by name; a weight of 1 unless given. */
export const items = (...names: readonly string[]): Record<string, Json> =>
  Object.fromEntries(names.map((name) => [`test:${name}`, give(`minecraft:${name}`)]))

export const give = (item: string, weight = 1): Json => ({
  weight,
  rewards: [{ type: 'items', items: [{ item, count: 2 }] }],
})

/** A configuration of the sign-in. */
export const configuration = (parameters: Record<string, unknown> = {}): Holder<ModuleConfiguration> => ({
  id: identifier('test:signin'),
  value: {
    type: identifier(SIGNIN_ID),
    parameters: { candidates: 3, ...parameters },
    condition: null,
    client: null,
  },
})

export class SigninRig {
  readonly driver = new FaultyDriver()
  readonly model = new ScriptedModel()
  readonly k: TestKernel
  readonly tools: Tool[] = []
  /** Players of whom administrators were told, with the day. */
  readonly ahead: [PlayerId, string][] = []
  /** Entries that the audit log tells of. */
  readonly told: string[] = []
  open: readonly Holder<ModuleConfiguration>[] = [configuration()]
  mode: ItemMode = 'exactly-once'
  timeZone = 'UTC'
  #content = emptyContent([])
  readonly #registries: Market['registries']

  constructor(setup: KernelSetup = {}) {
    const [costs, rewards] = [new CostTypes(), new RewardTypes()]
    this.#registries = commerceRegistries(costs, rewards)
    // of the kernel that is made with it
    const clock = {
      now: () => this.k.clock.now(),
      monotonic: () => this.k.clock.monotonic(),
      after: (ms: number, fn: () => void) => this.k.clock.after(ms, fn),
      every: (ms: number, fn: () => void) => this.k.clock.every(ms, fn),
    }
    const lane = (): ReturnType<Market['lane']> => ({ mode: this.mode }) as ReturnType<Market['lane']>
    const forms = {
      lineOf: ({ item, count }: { item: string; count: number }) =>
        item === 'minecraft:gone'
          ? fail('system:unknown_item', { item })
          : ok({ item: identifier(item), count, data: '' }),
    }
    const trade = new Trade({
      clock,
      chance: secureChance,
      costs,
      rewards,
      prices: new Prices(costs, clock),
      quotes: new Quotes({ clock, ids: randomIds, lives: { lifeOf: () => 0 } }),
      forms,
      inventories: { find: () => null, maxStack: () => 64 },
      lane,
      kept: (player) => this.k.store.online(player),
      content: () => this.#content,
      open: () => this.open,
    })
    const nameOf = (item: string): string => item.replace('minecraft:', '')
    const display = new Display({ rewards, nameOf, hasText: () => false })
    const tell: Market['tell'] = (told) => void this.told.push(JSON.stringify(told))
    const kept: Market['kept'] = (player) => this.k.store.online(player)
    const market: Market = { registries: this.#registries, trade, display, lane, tell, kept }
    const modules: AgentModule[] = []
    const { tools } = this
    const registration = {
      registry() {},
      moduleType() {},
      cardType: (type: unknown) => void cards.push(type as never),
      tool: (tool: unknown) => void tools.push(tool as Tool),
      module: (module: unknown) => void modules.push(module as AgentModule),
    }
    const cards: NonNullable<KernelSetup['cardTypes']>[number][] = []
    const parts = { market, clock, ids: randomIds, timeZone: () => this.timeZone }
    const onFarAhead = (player: PlayerId, day: string): void => void this.ahead.push([player, day])
    signinFeature({ ...parts, onFarAhead })(registration as unknown as Registration)
    this.k = new TestKernel({
      driver: this.driver,
      model: this.model,
      modules,
      tools,
      cardTypes: cards,
      types: [SIGNIN, INBOX, RESOURCES],
      prompts: { signin: 'Choose one of {{candidates}}', route: 'Choose one.' },
      ...setup,
    })
  }

  /** What packs hold from now on. */
  async packs(entries: Record<string, Json>, tags: Record<string, readonly string[]> = {}): Promise<void> {
    const { folder } = this.#registries.rewards
    this.#content = await contentOf([this.#registries.rewards], {
      entries: { [folder]: entries },
      tags: { [folder]: tags },
    })
  }

  /** Sets the machine's clock. */
  at(iso: string): void {
    this.k.clock.setNow(Date.parse(iso))
  }

  look(player: PlayerId): Promise<Outcome> {
    return this.k.command(player, SIGNIN_ID)
  }

  pick(player: PlayerId, candidate: string): Promise<Outcome> {
    return this.k.press(player, 'system:signin_pick', { candidate })
  }

  /** Takes the first of what there is. */
  async sign(player: PlayerId): Promise<SigninCard> {
    const [first] = cardIn(await this.look(player)).candidates
    return cardIn(await this.pick(player, first?.id ?? 'test:none'))
  }

  kept(player: PlayerId) {
    const view = this.k.store.online(player)
    if (view === null) throw new Error('nobody')
    return { signin: view.get(SIGNIN), inbox: view.get(INBOX) }
  }

  /** The write itself, with nothing of a request before it. */
  async write(player: PlayerId, candidate: string): Promise<string> {
    const [tool] = this.tools
    const commit = async <T>(change: (tx: Transaction) => T): Promise<T> => {
      const done = await this.k.store.update(player, change)
      if (!done.ok) throw new FailureError(done.failure)
      return done.value
    }
    try {
      await tool?.handler({ candidate }, { player, commit } as unknown as ToolCall)
      return 'ok'
    } catch (thrown) {
      return thrown instanceof FailureError ? thrown.failure.code : String(thrown)
    }
  }

  async save(player: PlayerId, day: string): Promise<void> {
    const history = [{ ...HAD, day }]
    await this.k.store.update(player, (tx) => tx.set(SIGNIN, { day, streak: 4, total: 9, history }))
  }
}

const HAD = {
  streak: 4,
  entry: 'an-entry',
  reward: {
    id: identifier('test:old'),
    value: { title: null, description: null, icon: null, weight: 1, rewards: [{ type: 'system:xp' }] },
  },
}

/** What the card of an outcome holds. */
export function cardIn({ result }: Outcome): SigninCard {
  const [update] = result.cards
  if (update === undefined || !('card' in update)) throw new Error(`no card, but ${result.failure?.code}`)
  return update.card.data as SigninCard
}
