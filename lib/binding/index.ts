export { BINDING, Bindings, type DefinedSystems } from './bindings.js'
export { Revocation, type Revoked } from './revocation.js'
