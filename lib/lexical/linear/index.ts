export {
  trainRouting,
  type Confusion,
  type LabeledText,
  type LabelReport,
  type LinearRoute,
  type LinearRouting,
  type RoutingReport,
} from './routing.js'
export type { Pieces } from './training.js'
