export { modifiedUtf8Bytes } from './nbt/modified-utf8.js'
export { identifierSchema, namedSchema, vanillaIdSchema } from './identifier.js'
export { hasUniqueKeys, parseModelObject } from './json-object.js'
export { codecOf, decodeEntries, type Codec } from './schema/codec.js'
