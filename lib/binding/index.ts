export { Bindings } from './bindings.js'
