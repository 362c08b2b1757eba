import { createHash } from 'node:crypto'
import {
  ComputeTools,
  functionsOf,
  LocalRouter,
  type EventRules,
  type Kernel,
  type TickQueue,
} from '../../lib/agent/index.js'
import { CARD_TEMPLATES } from '../../lib/cards/templates/index.js'
import type { Market } from '../../lib/commerce/index.js'
import { randomIds } from '../../lib/core/ids.js'
import type { ItemCatalogue } from '../../lib/items/index.js'
import { synonymsSchema, type Synonyms } from '../../lib/lexical/index.js'
import { openThreadGroups, runAgentJob, runJob, type ThreadGroups } from '../../lib/pool/index.js'
import type { FirstUse, Preferences } from '../../lib/preferences/index.js'
import type { Content } from '../../lib/registry/index.js'
import { AgentJournal, type PlayerStore } from '../../lib/storage/index.js'
import { systemRegistries, type ModuleAccess, type SystemRegistries } from '../../lib/systems/index.js'
import { promptRules, standardValues } from '../../lib/text/index.js'
import { closedBy } from './access.js'
import { catalogueOf, logUnusable } from './catalogue.js'
import { LiveContent, PACK_JOB_MS, packFormatOf, packPlaces } from './packs/index.js'
import type { Registered } from './registering.js'
import { RequestConfig } from './request-config.js'
import type { Runtime, RuntimeParts } from './runtime.js'

/** The thread groups, and what stands on them: what packs say, local routing, what requests begin with. */
export interface Heavy {
  readonly settings: RequestConfig
  readonly groups: ThreadGroups
  readonly local: LocalRouter
  readonly registries: SystemRegistries
  readonly packs: LiveContent
  readonly content: () => Content
}

export function openThreads(
  parts: RuntimeParts,
  registered: Registered & { readonly catalogue: ItemCatalogue; readonly commerce: Market },
): Heavy {
  const { registry, registryTypes } = registered
  const registries = systemRegistries(registered.moduleTypes, registered.conditions)
  const content = (): Content => packs.current
  const settings: RequestConfig = new RequestConfig({
    ...parts,
    content,
    values: standardValues(parts.host.version),
    prompt: (name) => parts.shipped.prompts.get(name) ?? registry.findPrompt(name),
  })
  const groups = openGroups(parts, settings, registry)
  const local = openLocal(parts, { ...registered, groups })
  const packs: LiveContent = new LiveContent({
    ...parts,
    places: packPlaces(parts.serverSettings.worldFolder, parts.settings.packs),
    packFormat: packFormatOf(parts.host.version),
    prompts: () => promptRules([...parts.shipped.prompts, ...registry.prompts()]),
    types: [registries.definitions, registries.configurations, CARD_TEMPLATES, ...registryTypes.list()],
    run: (job) => runJob(groups.compute, job, { limitMs: PACK_JOB_MS }),
    onTaken(taken) {
      parts.languages.overlay(taken.languages)
      logUnusable(parts.logger, catalogueOf(registered.commerce, taken))
      local.rebuild(registry.modules(), synonymsOf(parts, taken))
    },
  })
  registered.cardTypes.useTemplates((type) => content().registry(CARD_TEMPLATES).get(type)?.value)
  return { settings, groups, local, registries, packs, content }
}

function openLocal(
  parts: RuntimeParts,
  built: Pick<Runtime, 'groups' | 'registry'> & { readonly catalogue: ItemCatalogue },
): LocalRouter {
  const { clock, logger, live } = parts
  const local = new LocalRouter({
    run: (job) => runJob(built.groups.compute, job),
    items: built.catalogue,
    settings: () => live.config['system-semantic'],
    clock,
    logger,
  })
  local.rebuild(built.registry.modules(), synonymsOf(parts, null))
  return local
}

function openGroups(
  parts: RuntimeParts,
  settings: RequestConfig,
  registry: Registered['registry'],
): ThreadGroups {
  const { live, clock, logger, workersUrl } = parts
  return openThreadGroups({
    threads: live.config['system-agent'].threads,
    agentData: settings.agentData(),
    functions: functionsOf(registry.tools()),
    ...(workersUrl === undefined ? {} : { workersUrl }),
    clock,
    logger,
  })
}

type KernelParts = Pick<Kernel, 'sessions' | 'breaker' | 'meter' | 'memory' | 'registry' | 'services'> & {
  readonly preferences: Preferences
  readonly firstUse: FirstUse
  readonly tickQueue: TickQueue
  readonly access: ModuleAccess
  readonly groups: ThreadGroups
  readonly settings: RequestConfig
  readonly store: PlayerStore
  readonly eventRules: EventRules
}

/** What executions share. */
export function buildKernel(parts: RuntimeParts, built: KernelParts): Kernel {
  const { clock, logger } = parts
  const salt = randomIds.token()
  const { functions } = built.groups
  const compute = new ComputeTools({
    run: (job, options) => runJob(functions, job, options),
    terminate: () => functions.terminate(null),
    clock,
  })
  return {
    clock,
    logger,
    ids: randomIds,
    sessions: built.sessions,
    scheduler: built.tickQueue,
    registry: built.registry,
    services: built.services,
    meter: built.meter,
    breaker: built.breaker,
    memory: built.memory,
    gameVersion: parts.host.version,
    trace: parts.trace.report,
    store: built.store,
    journal: new AgentJournal(() => parts.live.config['system-storage']),
    events: {
      rules: built.eventRules,
      limits: () => parts.live.config['system-agent'].lanes.event,
      onResult: parts.onEventResult,
    },
    ai: {
      level: (player) => built.preferences.level(player),
      check: (player, needed) => built.preferences.check(player, needed),
      watch: (player, end) => built.preferences.watch(player, end),
      beforeRequest: (player, host) => built.firstUse.before(player, host),
    },
    runAgent: (job, handlers) => runAgentJob(built.groups.agent, job, { handlers, clock, logger }),
    compute: (tool, input, isAbandoned) => compute.run(tool, input, isAbandoned),
    settings: () => built.settings.current,
    endUser: (player) => createHash('sha256').update(`${salt} ${player}`).digest('base64url').slice(0, 22),
    access: (player, module, content) => closedBy(built, { player, content }, module),
    ownerAccess: (player, owner, content) => built.access.checkOwner(player, owner, content),
    openedBy: (module) => built.access.openedBy(module),
    configurations: (player, content) => built.access.open(player, content),
  }
}

/** Takes over what a reload has changed; gives the names of policies that were refused. */
export function reconfigure(
  settings: RequestConfig,
  { engine, groups, breaker, preferences }: Pick<Runtime, 'engine' | 'groups' | 'breaker' | 'preferences'>,
): readonly string[] {
  engine.forgetIntents()
  const { refused, isEndpointNew } = settings.renew()
  if (isEndpointNew) {
    groups.agent.reconfigure(settings.agentData())
    // what the old address or key was refused for says nothing of the new ones
    breaker.close()
  }
  preferences.refresh()
  return refused
}

/** Of two tables that give a phrase the first holds: what packs say goes before what ships. */
function synonymsOf({ shipped, logger }: RuntimeParts, content: Content | null): readonly Synonyms[] {
  const own = [...shipped.synonyms].flatMap(([language, table]) => {
    const parsed = synonymsSchema.safeParse(table)
    if (!parsed.success) logger.warn(`synonyms of ${language} are not used`)
    return parsed.success ? [parsed.data] : []
  })
  return [...(content?.synonyms.values() ?? []), ...own]
}
