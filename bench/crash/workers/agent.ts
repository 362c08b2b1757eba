export { default } from '../../../workers/agent.js'
