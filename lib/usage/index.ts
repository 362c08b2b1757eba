/** What players use of models and searches: the ledger, its storage, and the card that shows it. */
export { EVENT_ACCOUNT, UsageLedger, type PriceTables, type UsageLimits } from './ledger.js'
export { checkLedger, LEDGER_KEY } from './ledger-record.js'
export { LedgerSaver } from './ledger-saver.js'
export { usageCardType } from './usage-card.js'
export { usageFeature, USAGE_MODULE } from './usage-module.js'
export { playerReport, serverReport, type UsageReport } from './usage-report.js'
