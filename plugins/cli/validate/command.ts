import { stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { PACK_LIMITS, type PackProblem } from '../../../lib/packs/index.js'
import { EXIT, UsageError } from '../tool.js'
import { validatePacks, type ValidatedPack } from './validate.js'

export const VALIDATE_HELP = `flying-squid-system validate <pack>… [options]

Reads data packs, each a folder or a .zip, as a server would: on the System's own pack, and on those named before it.
Prints each problem as file:line:column, JSON pointer, reason. Changes nothing and needs no server. Exit status: 0 nothing
is wrong (there may be warnings, which leave nothing out), 1 something is, 2 wrong usage. How packs are made: docs/PACKS.md.

  --version <v>    Minecraft version of the server (1.21.4)
  --json           one JSON document on standard output
  --help           this text`

const VERSION = /^\d+\.\d+(?:\.\d+)?$/
/** The System's own is one of those that a server reads. */
const MOST_PACKS = PACK_LIMITS.packs - 1

/** Runs the command; resolves with its exit status. Throws a `UsageError`. */
export async function validateCommand(words: readonly string[]): Promise<number> {
  const { paths, version, json, help } = parse(words)
  if (help) {
    console.log(VALIDATE_HELP)
    return EXIT.fine
  }
  if (paths.length === 0) throw new UsageError('validate takes one pack or several')
  if (paths.length > MOST_PACKS) throw new UsageError(`validate takes ${MOST_PACKS} packs at most`)
  if (!VERSION.test(version)) throw new UsageError(`not a version of Minecraft: ${version}`)
  for (const path of paths)
    if ((await stat(path).catch(() => null)) === null) throw new UsageError(`there is no ${path}`)
  const packs = await validatePacks(paths, version)
  if (json) console.log(JSON.stringify(asJson(packs)))
  else for (const pack of packs) say(pack, packs.length > 1)
  return packs.every((pack) => countsOf(pack).findings === 0) ? EXIT.fine : EXIT.finding
}

function parse(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        version: { type: 'string', default: '1.21.4' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    return { ...values, paths: positionals }
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : 'wrong arguments')
  }
}

/** Problems that aren't listed may be of either kind: they count as findings. */
function countsOf({ problems, more }: ValidatedPack): { findings: number; warnings: number } {
  const warnings = problems.filter(({ warning }) => warning === true).length
  return { findings: problems.length - warnings + more, warnings }
}

function asJson(packs: readonly ValidatedPack[]): object {
  return {
    packs: packs.map((validated) => {
      const { pack, entries, problems } = validated
      return { pack, problems: problems.map(asPlain), counts: { entries, ...countsOf(validated) } }
    }),
  }
}

/** Members in the order in which one reads them. */
const asPlain = ({ pack, file, line, column, pointer, reason, warning }: PackProblem): object => ({
  pack,
  file,
  line,
  column,
  pointer,
  reason,
  warning: warning === true,
})

function say(validated: ValidatedPack, isOneOfSeveral: boolean): void {
  const { pack, entries, problems, more } = validated
  for (const problem of problems) console.log(lineOf(problem, !isOneOfSeveral && problem.pack === pack))
  if (more > 0) console.log(`and ${more} more problems`)
  const held = Object.entries(entries).map(([folder, count]) => `${count} in ${folder}`)
  const { findings, warnings } = countsOf(validated)
  const what = held.length === 0 ? 'no entries of the System' : held.join(', ')
  console.log(`${pack}: ${what}: ${findings} findings, ${warnings} warnings`)
}

function lineOf(
  { pack, file, line, column, pointer, reason, warning }: PackProblem,
  isPlain: boolean,
): string {
  const path = [isPlain && file !== '' ? '' : pack, file].filter((part) => part !== '').join('/')
  const place = [path, ...(line === null ? [] : [line]), ...(column === null ? [] : [column])].join(':')
  const words = [place, pointer, ...(warning === true ? ['warning:'] : []), reason]
  return words.filter((word) => word !== '').join(' ')
}
