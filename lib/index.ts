export { FAILURES, failure, type Failure, type FailureCode } from './core/failure.js'
