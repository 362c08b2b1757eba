import { createRequire } from 'node:module'
import { featuresOf, foldText, scanUnits, SparseIndex } from '../../lib/lexical/index.js'
import { trainRouting, type LabeledText, type LinearRouting } from '../../lib/lexical/linear/index.js'

/** The likeliest label of a sentence; null: none. */
export interface Router {
  label(text: string): string | null
}

/** Trains a router on the sentences. Those that no label answers are a label of their own. */
export type Trainer = (texts: readonly LabeledText[]) => Router

const NONE = '(none)'
const named = (label: string | null): string => label ?? NONE
const unnamed = (label: string | undefined): string | null =>
  label === undefined || label === NONE ? null : label
const wordsOf = (text: string): string[] => featuresOf(scanUnits(foldText(text)))

/** The product's, with its margin. */
export function ours(texts: readonly LabeledText[], precision = 0.98): LinearRouting {
  const pieces = trainRouting(texts, precision)
  for (;;) {
    const piece = pieces.next()
    if (piece.done === true) return piece.value
  }
}

/** Multinomial naive Bayes with Laplace's smoothing, on words and neighbours. */
const naiveBayes: Trainer = (texts) => {
  const counts = new Map<string, Map<string, number>>()
  const totals = new Map<string, { sentences: number; features: number }>()
  const known = new Set<string>()
  for (const { text, label } of texts) {
    const total = totals.get(named(label)) ?? { sentences: 0, features: 0 }
    const own = counts.get(named(label)) ?? new Map<string, number>()
    for (const feature of wordsOf(text)) {
      own.set(feature, (own.get(feature) ?? 0) + 1)
      total.features += 1
      known.add(feature)
    }
    total.sentences += 1
    totals.set(named(label), total)
    counts.set(named(label), own)
  }
  return {
    label(text) {
      const features = wordsOf(text).filter((feature) => known.has(feature))
      let [best, most] = [NONE, -Infinity]
      for (const [label, { sentences, features: all }] of totals) {
        let score = Math.log(sentences / texts.length)
        for (const feature of features)
          score += Math.log(((counts.get(label)?.get(feature) ?? 0) + 1) / (all + known.size))
        if (score > most) [best, most] = [label, score]
      }
      return unnamed(best)
    },
  }
}

/** Each label as one document of all its sentences; the nearest by TF-IDF and cosine. */
const centroid: Trainer = (texts) => {
  const documents = grouped(texts)
  const index = new SparseIndex(
    [...documents].map(([id, own]) => ({ id, features: own.flatMap(({ text }) => wordsOf(text)) })),
  )
  return { label: (text) => unnamed(index.search(wordsOf(text), 1)[0]?.id) }
}

function grouped(texts: readonly LabeledText[]): Map<string, LabeledText[]> {
  const groups = new Map<string, LabeledText[]>()
  for (const text of texts) groups.set(named(text.label), [...(groups.get(named(text.label)) ?? []), text])
  return groups
}

interface Classifier {
  addDocument(text: string, label: string): void
  train(): void
  classify(text: string): string
}
interface WinkClassifier {
  definePrepTasks(tasks: readonly ((text: string) => string[])[]): void
  learn(text: string, label: string): void
  consolidate(): void
  predict(text: string): string
}

const require = createRequire(import.meta.url)

/** Of other people's libraries those that are installed (`npm install --no-save natural wink-naive-bayes-text-classifier`). */
function installed(): [string, Trainer][] {
  const found: [string, Trainer][] = []
  try {
    const { BayesClassifier } = require('natural') as { BayesClassifier: new () => Classifier }
    found.push([
      'natural BayesClassifier',
      (texts) => {
        const classifier = new BayesClassifier()
        for (const { text, label } of texts) classifier.addDocument(text, named(label))
        classifier.train()
        return { label: (text) => unnamed(classifier.classify(text)) }
      },
    ])
  } catch {
    // not installed
  }
  try {
    const open = require('wink-naive-bayes-text-classifier') as () => WinkClassifier
    found.push([
      'wink naive Bayes',
      (texts) => {
        const classifier = open()
        classifier.definePrepTasks([wordsOf])
        for (const { text, label } of texts) classifier.learn(text, named(label))
        classifier.consolidate()
        return { label: (text) => unnamed(classifier.predict(text)) }
      },
    ])
  } catch {
    // not installed
  }
  return found
}

/** Those that ours is measured beside. */
export const rivals = (): ReadonlyMap<string, Trainer> =>
  new Map<string, Trainer>([['naive Bayes', naiveBayes], ['TF-IDF centroid', centroid], ...installed()])
