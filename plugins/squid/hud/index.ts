export { Hud } from './hud.js'
