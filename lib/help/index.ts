export { helpCard, helpModule, type HelpLine } from './help.js'
