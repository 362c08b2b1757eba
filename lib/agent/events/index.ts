export type { BackgroundAsk } from './background.js'
export { EventLane, type EventState } from './event-lane.js'
export { EventRules, type AuthorizedTask, type EventRule } from './event-rules.js'
export type { EventSettings, EventSubmission, StepPoint } from './event-settings.js'
