export { helpCard, helpFeature, type HelpLine } from './help.js'
