export { Content, emptyContent } from './content.js'
export { DataRegistry } from './data-registry.js'
export { decodeContent } from './decode.js'
export { persistHolderSchema, type Holder } from './holder.js'
export {
  faultsOf,
  newProblems,
  problemLine,
  type Place,
  type Problematic,
  type Unlocated,
} from './problems.js'
export { faultText } from './reasons.js'
export type { AnyRegistryType, Reference, RegistryType } from './registry-type.js'
export { RegistryTypes } from './registry-types.js'
export { readShippedData, SHIPPED_PACKS, type ShippedData } from './shipped.js'
export { MAX_PROMPT_BYTES } from './texts.js'
