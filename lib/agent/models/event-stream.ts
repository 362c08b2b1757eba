/** Takes decoded text in any pieces and gives each line once, without its end (LF or CRLF). */
export interface LineSplitter {
  push(piece: string): void
  /** A last line may lack its end. */
  end(): void
}

/** Work is linear in the text even when each piece is one character. */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  const parts: string[] = []
  const flush = (): void => {
    const line = parts.join('')
    parts.length = 0
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
  return {
    push(piece) {
      let start = 0
      for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', start)) {
        parts.push(piece.slice(start, at))
        flush()
        start = at + 1
      }
      if (start < piece.length) parts.push(piece.slice(start))
    },
    end() {
      if (parts.length > 0) flush()
    },
  }
}

/** One event of a stream: its data lines and its name (`message` when unnamed). */
export interface StreamEvent {
  readonly name: string
  readonly data: readonly string[]
}

/**
 * Server-sent events (WHATWG HTML, 9.2): comment lines are skipped, an event ends at an empty line or with the
 * stream. A line `error: …`, which older llama.cpp servers send, becomes an event named `error`.
 */
export function createEventDecoder(onEvent: (event: StreamEvent) => void): LineSplitter {
  let name = 'message'
  let data: string[] = []
  const dispatch = (): void => {
    const event = { name, data }
    name = 'message'
    data = []
    if (event.data.length > 0) onEvent(event)
  }
  const lines = createLineSplitter((line) => {
    if (line === '') return dispatch()
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon === -1 ? line : line.slice(0, colon)
    const raw = colon === -1 ? '' : line.slice(colon + 1)
    const value = raw.startsWith(' ') ? raw.slice(1) : raw
    if (field === 'data') data.push(value)
    else if (field === 'event') name = value
    else if (field === 'error') {
      name = 'error'
      data.push(value)
    }
  })
  return {
    push: (piece) => lines.push(piece),
    end() {
      lines.end()
      dispatch()
    },
  }
}
