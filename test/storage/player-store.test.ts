import t from 'tap'
import { MemoryPlayerStore } from '../../lib/storage/index.js'
import { playerStoreContract } from '../support/player-store-contract.js'

void t.test('memory', (t) => playerStoreContract(t, () => new MemoryPlayerStore()))
