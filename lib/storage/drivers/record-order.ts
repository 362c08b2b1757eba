import { InOrder } from '../../core/in-order.js'
import type { RecordKey } from '../driver.js'

/** Runs changes of records one after the other where they have a record in common, at once where they haven't. */
export class RecordOrder {
  readonly #order = new InOrder<string>()

  run<T>(keys: readonly RecordKey[], work: () => Promise<T>): Promise<T> {
    // all take their places in the same order of names: nobody waits for somebody who waits for them
    const names = keys.map(({ collection, id }) => `${collection}/${id}`).sort()
    const inTurn = names.reduceRight((inner, name) => () => this.#order.run(name, inner), work)
    return inTurn()
  }
}
