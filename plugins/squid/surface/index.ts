export { NO_SCREENS, RENDERERS } from './renderers.js'
export { Surface, type SurfaceParts } from './surface.js'
export type { BookPages, Origin, Reader, Renderers, Screens, WindowEvents, WindowPort } from './ports.js'
