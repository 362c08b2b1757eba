import { z } from 'zod'
import type { Tool, ToolCall, ToolType } from '../agent/index.js'
import { identifierSchema } from '../codec/index.js'
import { soldOf, type Catalogue, type Market, type SigninReward, type SoldCard } from '../commerce/index.js'
import { Calendar } from '../core/calendar.js'
import type { Clock } from '../core/clock.js'
import { failure, FailureError, type Failure } from '../core/failure.js'
import type { IdSource, PlayerId } from '../core/ids.js'
import { fail, orThrow, type Result } from '../core/result.js'
import { addEntry, entryLine, entryOf, type NewEntry } from '../inventory/index.js'
import type { Holder } from '../registry/index.js'
import type { Promised } from '../rewards/index.js'
import { candidatesOf } from './candidates.js'
import { isFarAhead, mayToday, signed, SIGNIN, todayOf, type Signin, type Today } from './days.js'
import { MAX_CANDIDATES, SIGNIN_MODULE } from './signin-card.js'

/** What a sign-in is made of. */
export interface SigninParts {
  readonly market: Market
  readonly clock: Clock
  readonly ids: IdSource
  /** IANA zone in which days begin. */
  readonly timeZone: () => string
  /** A player's last day lies far in the future. */
  readonly onFarAhead: (player: PlayerId, day: string) => void
}

const pickSchema = z.strictObject({ candidate: identifierSchema })
const pickedSchema = z.strictObject({ day: z.string(), entry: z.string() })

/** Signs in for today with one of the candidates. It writes, so no model is ever offered it. */
export const pickType: ToolType<z.infer<typeof pickSchema>, z.infer<typeof pickedSchema>> = {
  id: 'signin.pick',
  input: pickSchema,
  output: pickedSchema,
  kind: 'async',
  write: true,
}

/** How many candidates a configuration offers. */
export const candidateCount = z.int().min(1).max(MAX_CANDIDATES).default(3)

/** What is known of a player's sign-in now. */
export interface SigninState {
  readonly today: Today
  readonly kept: Signin
  /** Null: it may be done. */
  readonly refused: Failure | null
  readonly candidates: readonly Holder<SigninReward>[]
}

/** Days, candidates, and the one way to sign in. */
export class Signins {
  readonly catalogue: Catalogue<SigninReward>
  readonly #parts: SigninParts
  readonly #calendar = new Calendar()
  /** Players whose last day is far ahead, and the day on which that was told. */
  readonly #told = new Map<PlayerId, string>()

  constructor(parts: SigninParts) {
    this.#parts = parts
    this.catalogue = { type: SIGNIN_MODULE, member: 'rewards', registry: parts.market.registries.rewards }
  }

  today(): Today {
    return todayOf(this.#calendar, this.#parts.timeZone(), this.#parts.clock.now())
  }

  state(player: PlayerId, kept: Signin): SigninState {
    const today = this.today()
    const may = this.#may(kept, today)
    this.#tellAhead(player, kept, today)
    return {
      today,
      kept,
      refused: may.ok ? null : may.failure,
      candidates: may.ok ? this.#candidates(player, today) : [],
    }
  }

  #may(kept: Signin, today: Today): Result<void> {
    return this.#parts.market.lane().mode === 'off' ? fail('system:no_world') : mayToday(kept, today)
  }

  /** Once a day for each player. */
  #tellAhead(player: PlayerId, kept: Signin, today: Today): void {
    if (!isFarAhead(kept, today)) this.#told.delete(player)
    else if (this.#told.get(player) !== today.day) {
      this.#told.set(player, today.day)
      this.#parts.onFarAhead(player, kept.day)
    }
  }

  /** A reward as cards hold it. */
  sold(holder: Pick<Holder<SigninReward>, 'id' | 'value'>): SoldCard {
    const { display } = this.#parts.market
    return soldOf(holder, { things: display.things(holder.value.rewards), price: null }, display)
  }

  #candidates(player: PlayerId, { day }: Today): readonly Holder<SigninReward>[] {
    const { trade } = this.#parts.market
    const count = Math.max(...trade.parameters(player, SIGNIN_MODULE, 'candidates').map(Number), 1)
    const isUsable = ({ rewards }: SigninReward): boolean => trade.promise(rewards).ok
    return candidatesOf(trade.entries(player, this.catalogue), { player, day, count, isUsable })
  }

  /** Mark, reward and receipt in one transaction: whoever comes second finds the day signed. */
  readonly tool: Tool<z.infer<typeof pickSchema>, z.infer<typeof pickedSchema>> = {
    type: pickType,
    owner: SIGNIN_MODULE,
    handler: (input, call) => this.#pick(input, call),
  }

  async #pick(
    { candidate }: z.infer<typeof pickSchema>,
    { player, commit }: Pick<ToolCall, 'player' | 'commit'>,
  ): Promise<z.infer<typeof pickedSchema>> {
    const { market, ids } = this.#parts
    const id = ids.token()
    const made: NewEntry[] = []
    // all of it is looked at in the instant in which it is marked
    const done = await commit((tx) => {
      const [kept, today] = [tx.get(SIGNIN), this.today()]
      orThrow(this.#may(kept, today))
      const candidates = this.#candidates(player, today)
      const chosen = candidates.find((holder) => holder.id === candidate)
      if (chosen === undefined)
        throw new FailureError(failure(candidates.length > 0 ? 'system:offer_gone' : 'system:signin_empty'))
      const entry = newEntry(id, orThrow(market.trade.promise(chosen.value.rewards)))
      orThrow(addEntry(tx, entry))
      tx.set(SIGNIN, signed(kept, today, { reward: chosen, entry: id }))
      made[0] = entry
      return { day: today.day, entry: id }
    })
    for (const entry of made) market.tell(entryLine(player, entryOf(entry)))
    return done
  }
}

const newEntry = (id: string, { goods, booked }: Promised): NewEntry => ({
  id,
  source: SIGNIN_MODULE,
  ...goods,
  booked,
})
