export { assignCosts, type Assignment, type Means } from './assign.js'
export {
  isExternalType,
  priceOf,
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
