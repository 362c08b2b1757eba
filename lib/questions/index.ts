import type { Feature } from '../agent/index.js'
import { answerCard } from './answer-card.js'
import { questionModule } from './question.js'
import { reasoningModule } from './reasoning.js'

/** Answers of a model: `/system ask` and `/system reason`. */
export const questionsFeature: Feature = (registration) => {
  registration.cardType(answerCard)
  registration.module(questionModule)
  registration.moduleType({ id: reasoningModule.id, modules: [reasoningModule.id] })
  registration.module(reasoningModule)
}
