export { FirstUse } from './first-use.js'
export { Preferences, type AiState } from './preferences.js'
export { PERMISSION, SWITCHES, TOLD, type Switches } from './stored.js'
