export { answerCard } from './answer-card.js'
export { questionModule } from './question.js'
export { reasoningModule } from './reasoning.js'
