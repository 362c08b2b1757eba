export { Hud } from './hud.js'
export { RequestBars } from './request-bars.js'
