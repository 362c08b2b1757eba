import { at } from '../weights.js'
import { FeatureScanner } from './features.js'
import { LinearModel, type LinearWeights } from './model.js'
import { Vocabulary } from './vocabulary.js'

/** A sentence whose label is known: the place of the label. */
export interface LinearExample {
  readonly text: string
  readonly label: number
}

export interface LinearTraining {
  readonly examples: readonly LinearExample[]
  /** How many labels there are. */
  readonly labels: number
  /** What a sentence of each label counts; absent: 1 each. */
  readonly labelWeights?: readonly number[]
}

/** Training that is done piece by piece: each piece takes far less than a millisecond. Its course doesn't depend on time. */
export type Pieces<T> = Generator<undefined, T, undefined>

const EPOCHS = 8
/** AdaGrad (Duchi, Hazan, Singer 2011): each weight has a pace of its own, slower with each step. */
const PACE = 0.3
const FIRST_SQUARES = 0.01
/** Labels that are less wrong than so are not corrected: most are right soon, which saves most of the work. */
const NEGLIGIBLE = 1e-3
/** Biases learn slower than weights: no label is likely by itself. */
const BIAS_PACE = 0.3
/** Weights of all features for all labels while they are trained, eight bytes each. Beyond, features of one sentence are dropped. */
const MAX_TRAINED = 2 ** 24
/** Weights that are kept, the largest: 6 bytes each. With a tenth of 9 million no figure got worse. */
const MAX_KEPT = 800_000
const DOCUMENTS_A_PIECE = 8
const FEATURES_A_PIECE = 16
const ENTRIES_A_PIECE = 4_096

/** Trains a model on the examples: the same for the same examples on every machine. Needs one label at least. */
export function* trainLinear(training: LinearTraining): Pieces<LinearModel> {
  const vocabulary = yield* countFeatures(training)
  const sentences = yield* readSentences(training, vocabulary)
  const dense = new DenseWeights(vocabulary.size, training)
  const random = new Shuffle(sentences.labels.length)
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    const order = random.next()
    for (let place = 0; place < order.length; place += 1) {
      dense.learn(sentences, at(order, place))
      if (place % DOCUMENTS_A_PIECE === 0) yield
    }
  }
  return new LinearModel(vocabulary, yield* dense.pruned())
}

function* countFeatures({ examples, labels }: LinearTraining): Pieces<Vocabulary> {
  const scanner = new FeatureScanner()
  const frequencies = new Map<number, number>()
  for (const [place, { text }] of examples.entries()) {
    let before = -1
    for (const hash of scanner.scan(text)) {
      if (hash !== before) frequencies.set(hash, (frequencies.get(hash) ?? 0) + 1)
      before = hash
    }
    if (place % DOCUMENTS_A_PIECE === 0) yield
  }
  const least = frequencies.size * labels > MAX_TRAINED ? 2 : 1
  const hashes = new Uint32Array(frequencies.size)
  let next = 0
  for (const [hash, frequency] of frequencies) {
    if (frequency < least) continue
    hashes[next] = hash
    next += 1
    if (next % ENTRIES_A_PIECE === 0) yield
  }
  const sorted = hashes.slice(0, next).sort()
  yield
  const counts = Uint32Array.from(sorted, (hash) => frequencies.get(hash) ?? 0)
  yield
  return new Vocabulary(sorted, counts, examples.length)
}

/** The sentences in rows: features of sentence s are the places offsets[s] … offsets[s + 1] − 1. */
interface Sentences {
  readonly offsets: Uint32Array
  readonly features: Uint32Array
  readonly weights: Float32Array
  readonly labels: Uint32Array
}

function* readSentences({ examples }: LinearTraining, vocabulary: Vocabulary): Pieces<Sentences> {
  const offsets = new Uint32Array(examples.length + 1)
  let features = new Uint32Array(examples.length * 64)
  let weights = new Float32Array(features.length)
  for (const [place, { text }] of examples.entries()) {
    const vector = vocabulary.vectorOf(text)
    const start = at(offsets, place)
    const end = start + vector.length
    if (end > features.length) {
      const [wider, heavier] = [new Uint32Array(2 * end), new Float32Array(2 * end)]
      wider.set(features)
      heavier.set(weights)
      ;[features, weights] = [wider, heavier]
    }
    features.set(vector.features.subarray(0, vector.length), start)
    weights.set(vector.weights.subarray(0, vector.length), start)
    offsets[place + 1] = end
    if (place % DOCUMENTS_A_PIECE === 0) yield
  }
  return { offsets, features, weights, labels: Uint32Array.from(examples, ({ label }) => label) }
}

/** A permutation of the sentences, another one each time, the same in each training. */
class Shuffle {
  readonly #order: Uint32Array
  #state = 0x2545f491

  constructor(size: number) {
    this.#order = Uint32Array.from({ length: size }, (_, place) => place)
  }

  next(): Uint32Array {
    const order = this.#order
    for (let place = order.length - 1; place > 0; place -= 1) {
      const other = this.#below(place + 1)
      const moved = at(order, place)
      order[place] = at(order, other)
      order[other] = moved
    }
    return order
  }

  /** Marsaglia's xorshift of 32 bits. */
  #below(limit: number): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return (state >>> 0) % limit
  }
}

const step = (gradient: number, squares: number): number =>
  (PACE * gradient) / Math.sqrt(FIRST_SQUARES + squares)

class DenseWeights {
  readonly #labels: number
  readonly #labelWeights: Float64Array
  readonly #weights: Float32Array
  readonly #squares: Float32Array
  readonly #biases: Float32Array
  readonly #biasSquares: Float32Array
  readonly #errors: Float64Array
  /** Labels that are to be corrected. */
  readonly #wrong: Uint32Array

  constructor(features: number, { labels, labelWeights }: LinearTraining) {
    this.#labels = labels
    this.#labelWeights = Float64Array.from({ length: labels }, (_, label) => labelWeights?.[label] ?? 1)
    this.#weights = new Float32Array(features * labels)
    this.#squares = new Float32Array(features * labels)
    this.#biases = new Float32Array(labels)
    this.#biasSquares = new Float32Array(labels)
    this.#errors = new Float64Array(labels)
    this.#wrong = new Uint32Array(labels)
  }

  /** One step of the gradient, for one sentence. */
  learn({ offsets, features, weights, labels }: Sentences, sentence: number): void {
    const [start, end] = [at(offsets, sentence), at(offsets, sentence + 1)]
    const wrong = this.#judge(
      features.subarray(start, end),
      weights.subarray(start, end),
      at(labels, sentence),
    )
    const errors = this.#errors
    for (let place = start; place < end; place += 1) {
      const row = at(features, place) * this.#labels
      const weight = at(weights, place)
      for (let entry = 0; entry < wrong; entry += 1) {
        const label = at(this.#wrong, entry)
        const gradient = at(errors, label) * weight
        const squares = (this.#squares[row + label] = at(this.#squares, row + label) + gradient * gradient)
        this.#weights[row + label] = at(this.#weights, row + label) - step(gradient, squares)
      }
    }
    for (let entry = 0; entry < wrong; entry += 1) {
      const label = at(this.#wrong, entry)
      const gradient = at(errors, label) * BIAS_PACE
      const squares = (this.#biasSquares[label] = at(this.#biasSquares, label) + gradient * gradient)
      this.#biases[label] = at(this.#biases, label) - step(gradient, squares)
    }
  }

  /** Puts down the errors of the labels that are wrong by more than next to nothing, and gives how many they are. */
  #judge(features: Uint32Array, weights: Float32Array, right: number): number {
    const scores = this.#errors
    const labels = this.#labels
    scores.set(this.#biases)
    for (let place = 0; place < features.length; place += 1) {
      const row = at(features, place) * labels
      const weight = at(weights, place)
      for (let label = 0; label < labels; label += 1)
        scores[label] = at(scores, label) + weight * at(this.#weights, row + label)
    }
    let most = -Infinity
    for (let label = 0; label < labels; label += 1) most = Math.max(most, at(scores, label))
    let sum = 0
    for (let label = 0; label < labels; label += 1) sum += scores[label] = Math.exp(at(scores, label) - most)
    const counts = at(this.#labelWeights, right)
    let wrong = 0
    for (let label = 0; label < labels; label += 1) {
      const error = (at(scores, label) / sum - (label === right ? 1 : 0)) * counts
      scores[label] = error
      if (Math.abs(error) > NEGLIGIBLE * counts) {
        this.#wrong[wrong] = label
        wrong += 1
      }
    }
    return wrong
  }

  /** The largest weights, so many as are kept, in rows. */
  *pruned(): Pieces<LinearWeights> {
    const { least, kept } = yield* this.#leastKept()
    const features = this.#weights.length / this.#labels
    const offsets = new Uint32Array(features + 1)
    const labels = new Uint16Array(kept)
    const values = new Float32Array(kept)
    let next = 0
    for (let feature = 0; feature < features; feature += 1) {
      for (let label = 0; label < this.#labels; label += 1) {
        const weight = at(this.#weights, feature * this.#labels + label)
        if (Math.abs(weight) < least) continue
        labels[next] = label
        values[next] = weight
        next += 1
      }
      offsets[feature + 1] = next
      if (feature % FEATURES_A_PIECE === 0) yield
    }
    return { offsets, labels, values, biases: this.#biases }
  }

  /** The size from which on weights are kept, and how many those are, by a histogram over the upper half of their bits. */
  *#leastKept(): Pieces<{ readonly least: number; readonly kept: number }> {
    const bits = new Uint32Array(this.#weights.buffer)
    const counts = new Uint32Array(2 ** 15)
    for (let place = 0; place < bits.length; place += 1) {
      const bin = (at(bits, place) & 0x7fffffff) >>> 16
      counts[bin] = at(counts, bin) + 1
      if (place % 65_536 === 0) yield
    }
    let kept = 0
    let bin = counts.length - 1
    // the lowest bin holds what was never touched
    for (; bin > 0 && kept + at(counts, bin) <= MAX_KEPT; bin -= 1) kept += at(counts, bin)
    return { least: new Float32Array(Uint32Array.of((bin + 1) << 16).buffer)[0] ?? 0, kept }
  }
}
