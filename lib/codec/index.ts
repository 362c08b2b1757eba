export { identifierSchema } from './identifier.js'
export { hasUniqueKeys, parseModelObject } from './json-object.js'
export * from './nbt/index.js'
