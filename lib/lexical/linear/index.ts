export { trainRouting, type LabeledText, type LinearRouting, type RoutingReport } from './routing.js'
