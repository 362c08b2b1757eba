import { EXIT, parseTool, PLACES_HELP, UsageError } from '../tool.js'
import { Report, type Finding, type Note } from './report.js'
import { verifyData } from './verify.js'

export const VERIFY_HELP = `flying-squid-system verify [options]

Decodes every data file of a stopped server and checks that the files fit together. Changes nothing. Exit status:
0 nothing is wrong, 1 something is (or a server uses the data), 2 wrong usage. What each finding means: docs/TOOLS.md.

${PLACES_HELP}`

/** Runs the command; resolves with its exit status. Throws a `UsageError`. */
export async function verifyCommand(words: readonly string[]): Promise<number> {
  const { positionals, json, help, places } = parseTool(words)
  if (help) {
    console.log(VERIFY_HELP)
    return EXIT.fine
  }
  if (positionals.length > 0) throw new UsageError(`verify takes no ${positionals[0]}`)
  const report = new Report(json ? undefined : say)
  await verifyData(await places(), report)
  const { findings, notes, counts } = report
  if (json) console.log(JSON.stringify({ findings, notes, counts }))
  else
    console.log(
      `${counts['files']} files, ${counts['players']} players: ${counts['findings']} findings, ${counts['notes']} notes`,
    )
  return findings.length === 0 ? EXIT.fine : EXIT.finding
}

function say(kind: 'finding' | 'note', { code, file, part, message }: Finding | Note): void {
  console.log(`${kind} ${code} ${file}${part === undefined ? '' : ` (${part})`}: ${message}`)
}
