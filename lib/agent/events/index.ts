export type { BackgroundAsk } from './background.js'
export { EventLane } from './event-lane.js'
export { EventRules, type AuthorizedTask, type EventRule } from './event-rules.js'
export type { EventSubmission, StepPoint } from './event-settings.js'
