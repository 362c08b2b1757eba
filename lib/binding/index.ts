export { BINDING, Bindings } from './bindings.js'
