import { isUuid, type PlayerId } from '../../lib/core/ids.js'
import { movePlayer } from './move-player.js'
import { EXIT, parseTool, PLACES_HELP, UsageError } from './tool.js'

export const MOVE_HELP = `flying-squid-system move-player <old uuid> <new uuid> [options]

Gives everything that is kept of a player to another uuid, on a stopped server: the player file, the store, conversations,
the private database. Refused when the new uuid has any data. After an interruption run the same command again; until then
neither uuid has the files that were on their way. What the player used of models stays with the old uuid. Exit status:
0 moved, 1 not moved or not completely, 2 wrong usage.

${PLACES_HELP}`

const USAGE_STAYS = {
  code: 'usage_stays',
  message: 'what was used of models stays counted for the old uuid, and system-access.json is as it was',
}
/** Something has to keep the process while the lock is waited for: its timers don't. */
const AWAKE_MS = 1_000

/** Runs the command; resolves with its exit status. Throws a `UsageError`. */
export async function moveCommand(words: readonly string[]): Promise<number> {
  const { positionals, json, help, places } = parseTool(words)
  if (help) {
    console.log(MOVE_HELP)
    return EXIT.fine
  }
  if (positionals.length !== 2) throw new UsageError('move-player takes the old uuid and the new one')
  const [from, to] = [uuidOf(positionals[0]), uuidOf(positionals[1])]
  if (from === to) throw new UsageError('the old uuid and the new one are the same')
  const awake = setInterval(() => {}, AWAKE_MS)
  try {
    const outcome = await movePlayer({ places: await places(), from, to })
    const isDone = outcome.findings.length === 0
    const notes = isDone ? [USAGE_STAYS] : []
    if (json) console.log(JSON.stringify({ from, to, ...outcome, notes }))
    else {
      for (const { code, file, message } of outcome.findings)
        console.log(`finding ${code}${file === undefined ? '' : ` ${file}`}: ${message}`)
      for (const file of outcome.moved) console.log(`moved ${file}`)
      for (const { code, message } of notes) console.log(`note ${code}: ${message}`)
      console.log(isDone ? `${from} is ${to} now` : 'nothing else was changed')
    }
    return isDone ? EXIT.fine : EXIT.finding
  } finally {
    clearInterval(awake)
  }
}

/** A uuid in the form of file names, also from capitals and from the form without dashes. */
function uuidOf(word = ''): PlayerId {
  const folded = word.toLowerCase().replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, '$1-$2-$3-$4-$5')
  if (!isUuid(folded)) throw new UsageError(`not a uuid: ${word}`)
  return folded
}
