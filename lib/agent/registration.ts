import type { CardType } from '../cards/index.js'
import type { Condition, ConditionType } from '../conditions/index.js'
import type { Identifier } from '../core/ids.js'
import type { Cost, CostType, ExternalCostType } from '../costs/index.js'
import type { EventRule } from './events/event-rules.js'
import type { RegistryType } from '../registry/index.js'
import type { Reward, RewardType } from '../rewards/index.js'
import type { AnyStorage } from '../storage/index.js'
import type { ModuleType } from '../systems/index.js'
import type { ChatProvider } from './chat-providers.js'
import type { AgentModule } from './module.js'
import type { RevokedHook } from './revoked-hooks.js'
import type { ServiceKey } from './services.js'
import type { ComputeTool, Tool } from './tool.js'

/**
 * What a feature or another plugin adds to a System before it starts. Each method throws a RegistrationError for a
 * mistake of the caller (a taken id, an unknown tool, an invalid policy) and once registration has ended; an extension
 * that throws is taken out whole.
 */
export interface Registration {
  /**
   * The extension's name for the log and `/system status`, given first; letters, digits, `.`, `_` and `-`, 64 at most. Without
   * it an extension is called by the namespace of the first id that it registers.
   */
  extension(name: string): void
  /** Offers something to other plugins and to workflows: one implementation for each key. */
  service<T>(key: ServiceKey<T>, service: T): void
  /**
   * What another plugin, loaded before this one, or the System offers. Throws a RegistrationError that names the key and
   * who wants it. A workflow that can do without asks `context.service` when it runs.
   */
  use<T>(key: ServiceKey<T>): T
  /** A tool: to be called by modules that declare it, and by models if it has a `reasoning` text. */
  tool<I, O>(tool: Tool<I, O> | ComputeTool<I, O>): void
  /** A module with its command, its example sentences and its entry in the model's catalogue. Tools come first. */
  module<A>(module: AgentModule<A>): void
  /** A kind of card that results may show. */
  cardType<D>(type: CardType<D>): void
  /**
   * Sentences of a language such as `en_us`, by key; `{name}` stands for a parameter. Keys begin with the namespace of
   * the extension and a dot (`weather.report.title`); `system.` and keys that are taken are refused. A language that
   * lacks a key shows the English sentence.
   */
  texts(language: string, sentences: Readonly<Record<string, string>>): void
  /** Answers free chat in place of the model: once, without a loop. Asked in the order of registration. */
  chatProvider(provider: ChatProvider): void
  /**
   * The system message of a model conversation, for `react` and `complete`; English, at most 16 KiB. `{{name}}` stands for
   * one of the `values` of the call, `{{game}}` and `{{answer_limit}}` for what is the same everywhere; a pack's text in its
   * place has the same placeholders.
   */
  prompt(id: Identifier, text: string): void
  /**
   * What is kept of each player: one value, or a table of rows, or entries of the chat record. The id names the data in
   * the files for good, and its namespace must not be `system`; a higher `version` brings a migration for each one before
   * it. Data of a type that isn't registered in some run is carried along unchanged.
   */
  storage<T>(type: AnyStorage<T>): void
  /**
   * Puts workflows and tools into the hands of hosts: they are open to players whose System names a configuration of the
   * type (a file of `system/system_module/` with this `type` and the members declared here). Tools belong to it by their
   * `owner`. Workflows that no type names are open to every bound player.
   */
  moduleType(type: ModuleType): void
  /** A kind of condition for Systems and their modules. */
  conditionType<C extends Condition>(type: ConditionType<C>): void
  /**
   * A kind of price for offers and lotteries: one that is made of items, experience and resources, or one that is kept
   * outside of this server, such as the balance of an economy plugin.
   */
  costType<C extends Cost>(type: CostType<C> | ExternalCostType<C>): void
  /** A kind of reward for sign-ins, offers and lotteries. */
  rewardType<R extends Reward>(type: RewardType<R>): void
  /**
   * A kind of entry in data packs: JSON files in `data/<namespace>/<folder>/`, decoded by the schema at start and at each
   * reload. The folder begins with the namespace of the id and a slash; `system` and `minecraft` are taken. A workflow
   * reads the entries with `context.registry(type)`, this very object.
   */
  registry<T>(type: RegistryType<T>): void
  /**
   * What the owner does when a player's System is taken (revoke, reset): forget what it holds of the player in memory or in
   * files of its own. Runs before the player's records are deleted and may wait, for 3 s at most; a failure is logged under
   * the owner's id and keeps nothing else from going on. It may run again for the same player. One hook per owner.
   */
  onRevoked(owner: Identifier, hook: RevokedHook): void
  /**
   * What authorizes event tasks: asked when a task is submitted under this id and again before each of its runs. It is
   * synchronous and has no effects; a rule that throws, or isn't registered any more, authorizes nothing.
   */
  eventRule(id: Identifier, isAuthorized: EventRule): void
}

/** A feature: everything it consists of, registered by one call. */
export type Feature = (registration: Registration) => void
