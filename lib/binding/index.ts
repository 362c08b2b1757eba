export { BINDING, Bindings, type Binding } from './bindings.js'
