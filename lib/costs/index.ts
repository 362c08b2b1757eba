export { assignCosts, type Assignment, type Means } from './assign.js'
export {
  isExternalType,
  type AnyCostType,
  type Bill,
  type Cost,
  type CostOrigin,
  type CostPart,
  type CostSituation,
  type CostType,
  type ExternalCostType,
  type PricedPart,
} from './cost-type.js'
export { CostTypes } from './cost-types.js'
export { levelOf, pointsAt } from './experience.js'
