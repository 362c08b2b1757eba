import type { RegisteredModule } from '../agent/index.js'
import { cardOf, type CardData } from '../cards/index.js'
import type { AiLevel } from '../core/ai-level.js'
import type { PlayerId } from '../core/ids.js'
import { workbenchCardType, type WorkbenchData, type WorkbenchEntry } from './workbench-card.js'

/** Who a workbench is for. */
export interface WorkbenchOwner {
  readonly name: string
  /** What the player's System is called. */
  readonly system: WorkbenchData['system']
  readonly level: AiLevel
  /** The player has chosen nowhere to see cards. */
  readonly isUnplaced: boolean
}

export interface WorkbenchParts {
  /** All workflows, in the order of registration. */
  modules(): readonly RegisteredModule[]
  /** Null: nobody who has a System now. */
  owner(player: PlayerId): WorkbenchOwner | null
  /** Whether the workflow is open to the player now. */
  mayUse(player: PlayerId, module: RegisteredModule): boolean
}

/** What everybody has comes last, in this order. */
const LAST: readonly string[] = ['usage', 'history', 'settings', 'pins', 'help'].map(
  (name) => `system:${name}`,
)

interface Built {
  /** What it was made from. */
  readonly of: string
  readonly card: CardData
}

/**
 * What `/system` alone opens: the pages of the workflows that are open to the player, as they declare them. The card of
 * each player is kept until what is open, the level, a name or a choice is another. It holds no sentences: it is drawn in
 * the language that its reader has then.
 */
export class Workbench {
  readonly #parts: WorkbenchParts
  readonly #built = new Map<PlayerId, Built>()

  constructor(parts: WorkbenchParts) {
    this.#parts = parts
  }

  /** Players whose card is kept. */
  get players(): number {
    return this.#built.size
  }

  /** The player's card; null: there is none without a System. */
  card(player: PlayerId): CardData | null {
    const owner = this.#parts.owner(player)
    if (owner === null) return null
    const modules = this.#pages(player)
    const of = JSON.stringify([owner, modules.map(({ id }) => id)])
    const before = this.#built.get(player)
    if (before?.of === of) return before.card
    const { name, ...rest } = owner
    const card = cardOf(workbenchCardType, { ...rest, player: name, entries: modules.flatMap(entryOf) })
    this.#built.set(player, { of, card })
    return card
  }

  /** Nothing is kept of a player who left. */
  forget(player: PlayerId): void {
    this.#built.delete(player)
  }

  #pages(player: PlayerId): readonly RegisteredModule[] {
    const open = this.#parts
      .modules()
      .filter((module) => module.workbench !== undefined && this.#parts.mayUse(player, module))
    return open.sort((a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id))
  }
}

function entryOf({ id, help, routing, workbench }: RegisteredModule): WorkbenchEntry[] {
  if (workbench === undefined) return []
  const { icon, title, about, params } = workbench
  const beneath = about ?? (title === undefined ? null : help)
  const { command } = routing
  const typed =
    command?.argument === undefined || command.argument.optional === true ? null : `/system ${command.name} `
  return [
    {
      module: id,
      icon,
      title: (title ?? help).key,
      about: beneath?.key ?? null,
      press: params ?? typed ?? {},
    },
  ]
}
