/** Where diagnostics go. Entries hold ids, codes and sizes, never a player's or a model's text. */
export interface Logger {
  info(message: string): void
  warn(message: string): void
  /** `cause` may be any thrown thing; the logger prints it for the host, players never see it. */
  error(message: string, cause?: unknown): void
}

/** Drops everything: for tests and tools that print themselves. */
export const silentLogger: Logger = {
  info() {},
  warn() {},
  error() {},
}
