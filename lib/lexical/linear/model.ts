import { at } from '../weights.js'
import type { SentenceVector, Vocabulary } from './vocabulary.js'

/** What a model makes of a sentence. */
export interface LinearMatch {
  /** Place of the likeliest label. */
  readonly label: number
  /** Probability of the likeliest label minus that of the next one, 0 to 1. */
  readonly margin: number
  readonly probability: number
  /** Place of the next label; -1 where there is one label only. */
  readonly second: number
  /** Share of the sentence that the examples know, 0 to 1. */
  readonly known: number
}

/** Weights of a trained model, most of them left out: those of feature f are the places offsets[f] … offsets[f + 1] − 1. */
export interface LinearWeights {
  readonly offsets: Uint32Array
  readonly labels: Uint16Array
  readonly values: Float32Array
  /** One for each label. */
  readonly biases: Float32Array
}

/** A softmax regression over the features of a vocabulary. One buffer of scores is kept: not safe for re-entrant use. */
export class LinearModel {
  readonly vocabulary: Vocabulary
  readonly weights: LinearWeights
  readonly #scores: Float64Array

  constructor(vocabulary: Vocabulary, weights: LinearWeights) {
    this.vocabulary = vocabulary
    this.weights = weights
    this.#scores = new Float64Array(weights.biases.length)
  }

  /** Bytes of what is kept of the training. */
  get byteLength(): number {
    const { offsets, labels, values, biases } = this.weights
    const { hashes, idf } = this.vocabulary
    return [offsets, labels, values, biases, hashes, idf].reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** The likeliest label; of equal ones the first. A sentence without any known feature has what the biases say. */
  match(text: string): LinearMatch {
    const vector = this.vocabulary.vectorOf(text)
    const scores = this.#score(vector)
    let [label, second] = [0, -1]
    for (let place = 1; place < scores.length; place += 1) {
      if (at(scores, place) > at(scores, label)) [second, label] = [label, place]
      else if (second < 0 || at(scores, place) > at(scores, second)) second = place
    }
    const probability = at(scores, label)
    const margin = second < 0 ? probability : probability - at(scores, second)
    return { label, margin, probability, second, known: vector.known }
  }

  /** Places of the labels, likeliest first. */
  ranking(text: string): number[] {
    const scores = this.#score(this.vocabulary.vectorOf(text))
    return [...scores.keys()].sort((a, b) => at(scores, b) - at(scores, a) || a - b)
  }

  /** The probability of each label. */
  #score({ features, weights, length }: SentenceVector): Float64Array {
    const { offsets, labels, values, biases } = this.weights
    const scores = this.#scores
    scores.set(biases)
    for (let place = 0; place < length; place += 1) {
      const feature = at(features, place)
      const weight = at(weights, place)
      const end = at(offsets, feature + 1)
      for (let entry = at(offsets, feature); entry < end; entry += 1) {
        const label = at(labels, entry)
        scores[label] = at(scores, label) + weight * at(values, entry)
      }
    }
    let most = -Infinity
    for (let label = 0; label < scores.length; label += 1) most = Math.max(most, at(scores, label))
    let sum = 0
    for (let label = 0; label < scores.length; label += 1)
      sum += scores[label] = Math.exp(at(scores, label) - most)
    for (let label = 0; label < scores.length; label += 1) scores[label] = at(scores, label) / sum
    return scores
  }
}
