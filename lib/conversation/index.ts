/** What is remembered of players: conversations, results for replay, pinned cards; forgetting; `/system history`. */
export { historyCard, HISTORY_MODULE } from './history-card.js'
export { historyFeature } from './history-module.js'
export { pin, PINS, pinsOf, unpin, type PinnedAsk } from './pins.js'
export { pinList, pinListCard, pinnedCard, PINNED_CARD, PINS_MODULE } from './pins-card.js'
export { pinsFeature } from './pins-module.js'
export { PlayerMemory } from './player-memory.js'
export { REPLAYS } from './replay-text.js'
export { ROUNDS } from './rounds.js'
