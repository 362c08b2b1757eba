/** Placeholder of the interface until the kernel lands in this file. */
export interface ExecutionContext {
  readonly language: string
}
