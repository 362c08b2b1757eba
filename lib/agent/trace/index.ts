export { traceEventSchema, type TraceEvent, type TraceReport } from './event.js'
export { JsonLinesSink, type JsonLinesConfig, type LinesAppended } from './json-lines.js'
export { traceAccepted, traceEnded, traceRefused, traceRouted } from './requests.js'
export { TraceStream, type Trace, type TraceListener } from './stream.js'
