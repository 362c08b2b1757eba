import { createRequire } from 'node:module'
import type { Interface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { SquidServer } from '../squid/types.js'

const require = createRequire(import.meta.url)

/** flying-squid's module, as far as we use it. */
export interface SquidModule {
  createMCServer(settings: Readonly<Record<string, unknown>>): SquidServer
}

/** flying-squid and the console reader that it opens while it is loaded. */
export interface LoadedSquid {
  readonly squid: SquidModule
  readonly defaults: Readonly<Record<string, unknown>>
  readonly console: Interface | null
}

/**
 * Loads flying-squid. It opens a readline on standard input and output as it is loaded, whose prompt and cursor codes
 * would stand in every line of a log; away from a terminal they are led into nothing. The reader itself is handed out,
 * because only it hears Ctrl-C at a terminal.
 */
export function loadSquid(): LoadedSquid {
  const readline = require('node:readline') as {
    createInterface: (options: { output: NodeJS.WritableStream }) => Interface
    cursorTo: () => boolean
  }
  const { createInterface } = readline
  const opened: Interface[] = []
  const isTerminal = process.stdout.isTTY
  readline.createInterface = (options) => {
    const reader = createInterface(isTerminal ? options : { ...options, output: new PassThrough().resume() })
    opened.push(reader)
    return reader
  }
  if (!isTerminal) readline.cursorTo = () => true
  try {
    const squid = require('flying-squid') as SquidModule
    // the reader is opened by this part, which flying-squid itself loads only when a server is made
    void require('flying-squid/src/lib/plugins/log.js')
    const defaults = require('flying-squid/config/default-settings.json') as Record<string, unknown>
    return { squid, defaults, console: opened[0] ?? null }
  } finally {
    readline.createInterface = createInterface
  }
}
