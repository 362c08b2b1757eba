/**
 * What plugin authors build with. An extension is a listener of flying-squid's `system:register` event, which fires once
 * when all plugins are loaded; it registers synchronously, all of it or nothing:
 *
 * ```ts
 * export function server(serv) {
 *   serv.on('system:register', (registration: Registration) => {
 *     registration.texts('en_us', { 'weather.report.help': 'Tell the weather' })
 *     registration.tool({ type: weatherNow, owner: identifier('weather:plugin'), handler: readWeather })
 *     registration.module(reportModule)
 *   })
 * }
 * ```
 *
 * Units: times are milliseconds, sizes UTF-8 bytes, text lengths Unicode code points unless a name says otherwise.
 * Schemas are those of zod 4; JSON Schema for models is made from them, so give fields a `.describe()` and avoid
 * refinements, which models never see.
 */

/**
 * Registering. A mistake (taken id, unknown tool, invalid policy, async listener) throws `RegistrationError`; the extension
 * is then taken out whole, named in the log and in `/system status`, and the System runs without it.
 */
export { RegistrationError, type Registration, type RevokedHook } from './agent/index.js'

/**
 * Event tasks: work that a plugin submits for a player (`serv.system.submitEvent`), kept before it runs and until it is over,
 * also over a logout, a crash and a restart. A rule (`registration.eventRule`) authorizes each of its runs.
 */
export type { AuthorizedTask, EventRule, EventSubmission } from './agent/index.js'

/**
 * Services: what plugins offer to each other under a typed key (`registration.service`, `registration.use`,
 * `context.service`). Ours are time, log, trace and the chat providers.
 */
export { CHAT, CLOCK, LOGGER, serviceKey, TRACE, type ServiceKey } from './agent/index.js'
export type { Clock } from './core/clock.js'
export type { Logger } from './core/logger.js'

/** Answers free chat in place of the model, once: `registration.chatProvider`. */
export type { ChatContext, ChatProvider, ChatProviders, ProvidedAnswer } from './agent/index.js'

/**
 * A module is a workflow: one registration gives its `/system` command, completion, local routing (from `examples`) and
 * its entry in the model's catalogue; `workbench` gives it a place in what `/system` alone opens. `execute` is a plain async function on the main thread: between two awaits it may
 * compute for 5 ms at most, and all it does to the world goes through its `ExecutionContext`.
 */
export type {
  AgentModule,
  AgentResult,
  CompleteOptions,
  ExecutionContext,
  ModuleRouting,
  Observation,
  ReactOptions,
  ReactOutcome,
  RequestStore,
  Selection,
  Sentence,
  ToolOptions,
  Turn,
  WorkbenchPage,
} from './agent/index.js'
/** The subcommand of `/system` that a module gets. Its name is lower case and must not be taken. */
export type { CommandDeclaration } from './command/index.js'
/** Results: one new card, or a failure that the player is told in their own language. */
export { failedResult, shown } from './agent/index.js'

/**
 * A tool is one behaviour with decoded input and output. Kind `game` runs on the server's tick within 2 ms and must be
 * synchronous; kind `async` may wait, with a signal that aborts when the request ends. The type object is the right to call
 * it: `context.tool(type, input)` works for modules that list its id. Only tools that write nothing may have a `reasoning`
 * text, which offers them to models. A write tool changes what is kept of the player with `commit`: change and receipt are one,
 * so the same step is made once, however often its workflow runs.
 */
export type {
  ComputeFunction,
  ComputeTool,
  Tool,
  ToolCall,
  ToolHandler,
  ToolId,
  ToolKind,
  ToolType,
} from './agent/index.js'

/**
 * What a request may spend: ten fields, one value. A host overrides it whole in `system-agent.json`, by module id.
 * FAST_POLICY: no model, four tool calls, 14.5 s. REASONING_POLICY: four model calls, eight tool calls, loops of three
 * decisions, 60 s; nothing is written by either. EVENT_POLICY: no model, four write steps, 5 minutes.
 */
export { EVENT_POLICY, FAST_POLICY, REASONING_POLICY, type ExecutionPolicy } from './agent/index.js'

/**
 * Cards. A type's schema decodes its data each time, `build` makes the view (pure, at once), `memoryFact` says in
 * English what a later model call may know. Texts of models, players and the world stand in `text` lines or row values as
 * plain strings: nothing in them is interpreted.
 */
export type {
  CardAction,
  CardButton,
  CardData,
  CardLine,
  CardRef,
  CardTone,
  CardType,
  CardUpdate,
  CardView,
} from './cards/index.js'
/** Sentences by key with parameters, and components where a client translates (names of items). */
export type { Component, Message, MessageParam } from './text/index.js'
/** Literal text, and a text that the client itself translates, as components. */
export { plain, translate } from './text/index.js'

/**
 * Failures: a closed set of codes, each with its text in every language. Tools and workflows return them, or throw
 * `new FailureError(failure(code, params))`; anything else that is thrown becomes `system:tool_failed` in a tool and
 * `system:internal` in a workflow, with its cause in the log. `isAuthorization` codes end the request at once.
 */
export {
  FAILURES,
  failure,
  FailureError,
  isAuthorization,
  isRetryable,
  type Failure,
  type FailureCode,
  type FailureParams,
} from './core/failure.js'
/** An expected outcome as a value: `{ ok: true, value }` or `{ ok: false, failure }`. */
export { fail, ok, type Result } from './core/result.js'

/**
 * What is kept of each player, to be registered with `registration.storage`: one value, a table of rows, or entries of the
 * chat record.
 */
export type {
  AnyStorage,
  ChatTable,
  Reading,
  StorageTable,
  StorageType,
  Transaction,
} from './storage/index.js'

/**
 * Entries of data packs, to be registered with `registration.registry` and read with `context.registry(type)`. An entry
 * that doesn't decode, or names a missing one, is left out and named in the log. Values are frozen; `persistHolderSchema`
 * is the schema of an entry that is to be kept with its value.
 */
export type { DataRegistry, Holder, Reference, RegistryType } from './registry/index.js'
export { persistHolderSchema } from './registry/index.js'

/**
 * Ids. `identifier` checks `namespace:path` (lower case, `[a-z0-9_.-]`, in the path `/` too, 256 characters at most) and
 * throws a TypeError; player ids are lower-case UUIDs with dashes, and `playerId` makes one of a host's UUID or throws.
 */
export {
  identifier,
  isIdentifier,
  playerId,
  type Identifier,
  type PlayerId,
  type RequestId,
} from './core/ids.js'

/** What `serv.system.notify` tells a player who asked nothing, beside and between its requests. */
export type { Notice } from './notifications/index.js'

/** What `serv.system.onTrace` tells: ids, codes, counts and times of requests, model calls and tools. */
export { traceEventSchema, type TraceEvent, type TraceListener } from './agent/index.js'

/**
 * What hosts configure by data packs. A module type puts workflows and tools into their hands: `registration.moduleType`
 * with its parameters; `context.configurations(id)` gives what the player's System says. A condition type adds a kind of
 * condition for Systems and module configurations.
 */
export type { Configured } from './agent/index.js'
export type { Condition, ConditionType, Situation } from './conditions/index.js'
export type { ModuleType } from './systems/index.js'

/**
 * What prices and rewards can be: `registration.costType` and `registration.rewardType`. A cost of items, experience and named
 * currencies says what it takes (`price`); one that is kept outside of this server is charged by its own plugin, once for
 * each order (`charge`, `status`). A reward gives into the inbox (`goods`), or books in the store when it is claimed (`book`).
 */
export type {
  Bill,
  Cost,
  CostOrigin,
  CostPart,
  CostSituation,
  CostType,
  ExternalCostType,
  PricedPart,
} from './costs/index.js'
export type { CustomItem, ItemForms, Reward, RewardType, ShownReward } from './rewards/index.js'
export type {
  ExternalAnswer,
  Goods,
  ItemLine,
  ItemTransaction,
  ItemView,
  ShownPrice,
} from './inventory/index.js'
/**
 * Balances of named currencies, and markers that players have earned: read from `context.store()`, changed in the `commit` of
 * a write tool. `credit` and `debit` change nothing where they fail.
 */
export { addFeature, balanceOf, credit, debit, hasFeature } from './rewards/index.js'

/**
 * Protocol 1 for clients that are programs: JSON on plugin channels, see docs/CHANNELS.md. `ResponseReader` puts answers that
 * come in parts together.
 */
export {
  CHANNEL_PROTOCOL,
  ResponseReader,
  type ChannelButton,
  type ChannelCard,
  type ChannelRequest,
  type ChannelResponse,
  type UsageRequest,
  type UsageResponse,
} from './channels/index.js'
