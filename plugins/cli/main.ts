#!/usr/bin/env node
import { parseServeArguments, SERVE_HELP } from './arguments.js'
import { EXIT, UsageError } from './tool.js'

/** The tools by name; each loads what it needs itself. */
const TOOLS: ReadonlyMap<string, (words: readonly string[]) => Promise<number>> = new Map([
  ['verify', async (words) => (await import('./verify/command.js')).verifyCommand(words)],
  ['doctor', async (words) => (await import('./doctor/command.js')).doctorCommand(words)],
  ['validate', async (words) => (await import('./validate/command.js')).validateCommand(words)],
  ['card', async (words) => (await import('./card/command.js')).cardCommand(words)],
  ['route', async (words) => (await import('./route/command.js')).routeCommand(words)],
  ['move-player', async (words) => (await import('./move-command.js')).moveCommand(words)],
])

/** Runs the command line; resolves with the exit status, or null when a server goes on running. */
async function run(words: readonly string[]): Promise<number | null> {
  const [first, ...rest] = words
  const tool = first === undefined ? undefined : TOOLS.get(first)
  if (first !== undefined && tool !== undefined) return runTool(first, () => tool(rest))
  const isServe = first === undefined || first === 'serve' || first.startsWith('-')
  if (!isServe) {
    console.error(`unknown command: ${first}\n\n${SERVE_HELP}`)
    return EXIT.usage
  }
  const parsed = parseServeArguments(first === 'serve' ? rest : words)
  if (parsed.kind === 'help') {
    console.log(SERVE_HELP)
    return EXIT.fine
  }
  if (parsed.kind === 'wrong') {
    console.error(`${parsed.problem}\n\n${SERVE_HELP}`)
    return EXIT.usage
  }
  const { serve } = await import('./serve.js')
  return serve(parsed.options)
}

/** Ends by itself: what was printed may still be on its way into a pipe. */
async function runTool(name: string, tool: () => Promise<number>): Promise<null> {
  try {
    process.exitCode = await tool()
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown
    console.error(`${thrown.message}\n\`flying-squid-system ${name} --help\` shows how it is used`)
    process.exitCode = EXIT.usage
  }
  return null
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
