import type { PlayerId } from '../core/ids.js'
import type { Result } from '../core/result.js'
import type { ToolType } from './tool.js'

/** Placeholder of the interface until the kernel lands in this file. */
export interface ExecutionContext {
  readonly player: PlayerId
  readonly language: string
  tool<I, O>(type: ToolType<I, O>, input: I): Promise<Result<O>>
}
