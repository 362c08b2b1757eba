export type { Condition, ConditionType, Situation } from './condition-type.js'
export { ConditionTypes } from './condition-types.js'
