/**
 * Parts for tests of plugins: a model provider on this machine that answers from a script and knows every fault of
 * real ones, a model without a network, and time that moves by hand.
 */
export { ManualClock } from './manual-clock.js'
export { ScriptedModel, type ModelStep } from './scripted-model.js'
export {
  createProviderSimulator,
  type ProviderSimulator,
  type ProviderSimulatorOptions,
} from './provider-simulator.js'
export type { ChatBody, ProviderStep, RecordedRequest } from './provider-script.js'
export { faults, replies, type Content, type ErrorDetail } from './provider-replies.js'
export { reply, SimulatedReply, type ReplyPlan } from './reply-plan.js'
