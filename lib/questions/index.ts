import type { Feature } from '../agent/index.js'
import type { ModuleType } from '../systems/index.js'
import { answerCard } from './answer-card.js'
import { questionModule } from './question.js'
import { reasoningModule } from './reasoning.js'

/** What packs configure. */
export const reasoningModuleType: ModuleType = { id: reasoningModule.id, modules: [reasoningModule.id] }

/** Answers of a model: `/system ask` and `/system reason`. */
export const questionsFeature: Feature = (registration) => {
  registration.cardType(answerCard)
  registration.module(questionModule)
  registration.moduleType(reasoningModuleType)
  registration.module(reasoningModule)
}

/** What an answer of a model is, for features that give one too. */
export { answerCard, answerText } from './answer-card.js'
export { playerText } from './player-text.js'
