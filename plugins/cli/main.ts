#!/usr/bin/env node
import { parseServeArguments, SERVE_HELP } from './arguments.js'
import { serve } from './serve.js'

/** Exit status of a command that was used wrongly. */
const USAGE = 2

/** Runs the command line; resolves with the exit status, or null when a server goes on running. */
async function run(words: readonly string[]): Promise<number | null> {
  const [first, ...rest] = words
  const isServe = first === undefined || first === 'serve' || first.startsWith('-')
  if (!isServe) {
    console.error(`unknown command: ${first}\n\n${SERVE_HELP}`)
    return USAGE
  }
  const parsed = parseServeArguments(first === 'serve' ? rest : words)
  if (parsed.kind === 'help') {
    console.log(SERVE_HELP)
    return 0
  }
  if (parsed.kind === 'wrong') {
    console.error(`${parsed.problem}\n\n${SERVE_HELP}`)
    return USAGE
  }
  return serve(parsed.options)
}

run(process.argv.slice(2)).then(
  (status) => {
    if (status !== null) process.exit(status)
  },
  (thrown: unknown) => {
    console.error(thrown instanceof Error ? thrown.message : thrown)
    process.exit(1)
  },
)
