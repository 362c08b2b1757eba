/** What reading one file gave. */
export type FileRead =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** `isLast`: nothing more can be read of this pack. */
  | { readonly ok: false; readonly reason: string; readonly isLast?: true }

/** Something in a pack that isn't read, whatever lies in it. */
export interface LeftOut {
  readonly file: string
  readonly reason: string
}

/** The files of a pack, wherever they lie. */
export interface PackSource {
  readonly kind: 'folder' | 'zip'
  /** How many reads are worth being under way at the same time. */
  readonly readsAhead: number
  /** Paths with slashes, in order of code units. */
  readonly files: readonly string[]
  /** One for each kind of thing that was left out. */
  readonly leftOut: readonly LeftOut[]
  /** The bytes of one of `files`, if they are no more than `maxBytes`. Never rejects. */
  read(file: string, maxBytes: number): Promise<FileRead>
  close(): Promise<void>
}

/** A pack that can be read, or why it can't. */
export type OpenedPack =
  { readonly ok: true; readonly source: PackSource } | { readonly ok: false; readonly reason: string }

/** What the system said, without the path that its message has. */
export function systemReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? `could not be read (${code})` : 'could not be read'
}

/** Counts what is left out, by reason: a folder of 10,000 links is one message. */
export class LeftOuts {
  readonly #first = new Map<string, { readonly file: string; more: number }>()

  add(file: string, reason: string): void {
    const known = this.#first.get(reason)
    if (known === undefined) this.#first.set(reason, { file, more: 0 })
    else known.more += 1
  }

  list(): LeftOut[] {
    return [...this.#first].map(([reason, { file, more }]) => ({
      file,
      reason: more === 0 ? reason : `${reason} (${more} more like it)`,
    }))
  }
}

/** Bytes as a limit is told to a host. */
export const mebibytes = (bytes: number): string =>
  bytes % 1_048_576 === 0
    ? `${bytes / 1_048_576} MiB`
    : bytes % 1_024 === 0
      ? `${bytes / 1_024} KiB`
      : `${bytes} bytes`
