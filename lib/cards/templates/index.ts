export { CARD_TEMPLATES, drawTemplate, type CardTemplate } from './template.js'
