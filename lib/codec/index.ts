export { hasUniqueKeys, parseModelObject } from './json-object.js'
