export { DEFAULT_NBT_LIMITS, TagType, type NbtLimits } from './tag.js'
export { composeCompound, composeRoot, splitCompound, splitRoot, type NbtRoot } from './document.js'
export { parseSnbt } from './snbt.js'
export {
  decodeTree,
  encodeTree,
  type NbtCompound,
  type NbtKind,
  type NbtTree,
  type NbtValues,
} from './tree.js'
