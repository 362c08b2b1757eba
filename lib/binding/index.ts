export { BINDING, Bindings, type DefinedSystems } from './bindings.js'
export { Revocation, type RevocationParts, type Revoked } from './revocation.js'
