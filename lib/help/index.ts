export { helpModule, helpCard, helpFeature, type HelpLine } from './help.js'
