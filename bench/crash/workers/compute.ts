export { default } from '../../../workers/compute.js'
