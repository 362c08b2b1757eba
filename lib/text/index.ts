export type {
  ClickEvent,
  Color,
  Component,
  Message,
  MessageParam,
  Style,
  TranslateComponent,
} from './component.js'
export { catalogueProblem, catalogueSchema, parseCatalogue } from './catalogue.js'
export { componentText, concat, join, styled, translate } from './compose.js'
export { failureMessage } from './failure-message.js'
export { Languages, placeholders } from './languages.js'
export { headUnits, plain, plainText, wellFormed } from './plain.js'
export {
  filledPrompt,
  overrideFault,
  promptFault,
  promptRules,
  standardValues,
  type PromptRule,
} from './prompt.js'
