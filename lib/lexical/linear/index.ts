export { LinearModel, type LinearMatch } from './model.js'
export { trainLinear, type LinearExample, type LinearTraining, type Pieces } from './training.js'
export { crossValidate, marginFor, NO_MARGIN, type Judged, type UnseenMatch } from './validation.js'
