export { CARD_TEMPLATES, drawTemplate, type CardTemplate } from './template.js'
export { TEMPLATE_LIMITS } from './limits.js'
