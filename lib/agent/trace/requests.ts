import type { Failure } from '../../core/failure.js'
import type { PlayerId } from '../../core/ids.js'
import type { Kernel } from '../kernel.js'
import type { LiveRequest, RouteSource } from '../live-request.js'
import type { AgentResult } from '../module.js'
import type { TraceEvent } from './event.js'

type Tracing = Pick<Kernel, 'trace' | 'clock'>
type Form = Extract<TraceEvent, { kind: 'request-accepted' }>['form']

const since = ({ clock }: Tracing, { acceptedAt }: LiveRequest): number =>
  round(clock.monotonic() - acceptedAt)

/** Microseconds are all that a clock can tell. */
export const round = (ms: number): number => Math.max(0, Math.round(ms * 1_000) / 1_000)

/** A request was taken. */
export function traceAccepted(kernel: Tracing, { id, player }: LiveRequest, form: Form): void {
  kernel.trace({ kind: 'request-accepted', request: id, player, form })
}

/** A request never began. */
export function traceRefused(kernel: Tracing, player: PlayerId, { code }: Failure): void {
  kernel.trace({ kind: 'request-refused', player, code })
}

/** The module of a request is known. */
export function traceRouted(
  kernel: Tracing,
  request: LiveRequest,
  routed: { source: RouteSource; module: { id: string }; confidence?: number },
): void {
  kernel.trace({
    kind: 'request-routed',
    request: request.id,
    source: routed.source,
    module: routed.module.id,
    confidence: routed.confidence ?? null,
    ms: since(kernel, request),
  })
}

/** A request has its one outcome. */
export function traceEnded(kernel: Tracing, request: LiveRequest, { failure }: AgentResult): void {
  kernel.trace({
    kind: 'request-ended',
    request: request.id,
    player: request.player,
    source: request.source,
    module: request.module,
    code: failure?.code ?? 'ok',
    modelCalls: request.modelCalls,
    ms: since(kernel, request),
  })
}
