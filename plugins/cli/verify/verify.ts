import { systemClock } from '../../../lib/core/clock.js'
import { isUuid } from '../../../lib/core/ids.js'
import { dataHolder } from '../../../lib/storage/index.js'
import { checkLedger, LEDGER_KEY } from '../../../lib/usage/index.js'
import { builtInTypes } from '../../squid/kept.js'
import { causeText, jobsHere, type Places } from '../tool.js'
import { listPlayerFiles, listRecords, type PlayerFileNames, type RecordIds } from './folders.js'
import { checkPlayer } from './player.js'
import { checkRows, readRecord, reportUnreadable, type Check } from './records.js'
import type { Report } from './report.js'

const LOCK = 'system/store.lock'

/**
 * Decodes every file of a stopped server and checks that they fit together; changes nothing. One player's files are in
 * memory at a time, at most some hundred megabytes for files at their limits.
 */
export async function verifyData(places: Places, report: Report): Promise<void> {
  if (!(await isStopped(places, report))) return
  const check: Check = { places, types: builtInTypes(), run: jobsHere(), report }
  const ids = await listRecords(places, report)
  const playerFiles = await listPlayerFiles(places, report)
  await checkPlayers(check, ids, playerFiles)
  for (const collection of ['databases', 'shared', 'quests'] as const)
    for (const id of ids[collection]) await checkRows(check, { collection, id })
  for (const id of ids.world)
    await (id === LEDGER_KEY.id ? checkUsage(check) : checkRows(check, { collection: 'world', id }))
  if (report.counts['files'] === 0 && report.findings.length === 0)
    report.note('nothing_here', { file: 'system', message: 'there are no data of a System here' })
}

async function isStopped({ data }: Places, report: Report): Promise<boolean> {
  const holder = await dataHolder(data, systemClock)
  if (!holder.ok) {
    reportUnreadable(report, { file: LOCK }, holder.failure)
    return true
  }
  if (holder.value === 'abandoned')
    report.note('abandoned_lock', { file: LOCK, message: 'is left of a server that ended without a stop' })
  if (typeof holder.value === 'string') return true
  report.finding('locked', { file: LOCK, message: `used ${holder.value.holder}: stop the server first` })
  return false
}

async function checkPlayers(check: Check, ids: RecordIds, playerFiles: PlayerFileNames): Promise<void> {
  const [business, chat] = [new Set(ids.players), new Set(ids.chats)]
  const players = new Set([...business, ...chat, ...playerFiles.keys()])
  for (const id of players) {
    if (!isUuid(id)) continue
    await checkPlayer(check, id, {
      business: business.has(id),
      chat: chat.has(id),
      playerFiles: playerFiles.get(id) ?? new Set(),
    })
  }
}

async function checkUsage(check: Check): Promise<void> {
  const { report } = check
  const record = await readRecord(check, LEDGER_KEY)
  if (record === null) return
  const file = 'data/system/token_usage.dat'
  const { days, wrong, others } = checkLedger(record)
  report.count('parts', record.parts.size)
  report.count('usageDays', days)
  for (const [part, cause] of wrong) report.finding('usage', { file, part, message: causeText(cause) })
  for (const part of others) report.note('unknown_type', { file, part, message: 'belongs to no day' })
}
