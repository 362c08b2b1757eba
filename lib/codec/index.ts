export { parseModelObject } from './json-object.js'
