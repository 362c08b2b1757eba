export { Surface, type SurfaceParts } from './surface.js'
export type { Origin } from './ports.js'
