export { NO_SCREENS, RENDERERS } from './renderers.js'
export { Surface, type SurfaceParts } from './surface.js'
export type { CardScreens, Origin, Reader, Renderers } from './ports.js'
