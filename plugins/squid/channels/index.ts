export { Channels } from './channels.js'
