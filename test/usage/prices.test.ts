import t from 'tap'
import type { PriceWindow, SearchPrice } from '../../lib/config/index.js'
import { Calendar } from '../../lib/core/calendar.js'
import { costOf, modelPricesAt, searchPriceAt } from '../../lib/usage/prices.js'
import { price, usageOf } from '../support/usage.js'

const calendar = new Calendar()
const time = (iso: string) => ({ calendar, nowMs: Date.parse(iso) })
const NOON = time('2026-11-30T12:00:00Z')
const window = (from: string, until: string, over: Partial<PriceWindow> = {}): PriceWindow => ({
  days: [1, 2, 3, 4, 5, 6, 7],
  from,
  until,
  except: [],
  hit: 0,
  miss: 9,
  output: 9,
  ...over,
})

void t.test('the first entry whose pattern and dates fit', async (t) => {
  const table = [
    price({ model: 'deepseek-flash', until: '2026-11-30', miss: 1 }),
    price({ model: 'deepseek-flash', from: '2026-11-30', until: '2026-12-24', miss: 2 }),
    price({ model: 'deepseek-*', from: '2026-01-01', miss: 3 }),
  ]
  for (const [model, iso, miss] of [
    ['deepseek-flash', '2026-11-29T23:59:59Z', 1],
    ['deepseek-flash', '2026-11-30T00:00:00Z', 2],
    ['deepseek-flash', '2026-12-23T23:59:59Z', 2],
    ['deepseek-flash', '2026-12-24T00:00:00Z', 3],
    ['deepseek-v4-pro', '2026-11-30T00:00:00Z', 3],
    ['deepseek-v4-pro', '2025-12-31T23:59:59Z', null],
    ['other', '2026-11-30T00:00:00Z', null],
  ] as const)
    t.equal(
      modelPricesAt(table, model, time(iso))?.miss ?? null,
      miss === null ? null : miss * 1_000_000,
      `${model} ${iso}`,
    )
  const tokyo = [price({ from: '2026-12-01', timeZone: 'Asia/Tokyo' })]
  t.equal(modelPricesAt(tokyo, 'test-model', time('2026-11-30T14:59:59Z')), null)
  t.ok(modelPricesAt(tokyo, 'test-model', time('2026-11-30T15:00:00Z')), 'dates are those of the entry')
})

void t.test('patterns', async (t) => {
  for (const [model, id, fits] of [
    ['*', '', true],
    ['*', 'anything', true],
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a*', 'a', true],
    ['*a', 'ba', true],
    ['*a', 'ab', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-c-b-c', true],
    ['a*b*c', 'a-c', false],
    ['a.c', 'abc', false],
    [`${'*a'.repeat(120)}b`, 'a'.repeat(256), false],
  ] as const)
    t.equal(
      modelPricesAt([price({ model })], id, NOON) !== null,
      fits,
      `${model.slice(0, 20)} ${id.slice(0, 20)}`,
    )
})

void t.test('windows: the first that holds the moment wins, over midnight too', async (t) => {
  const workdays = { days: [1, 2, 3, 4, 5] }
  const cases = [
    // 2026-11-30 is a Monday
    [window('01:00', '04:00', workdays), '2026-11-30T00:59:00Z', false],
    [window('01:00', '04:00', workdays), '2026-11-30T01:00:00Z', true],
    [window('01:00', '04:00', workdays), '2026-11-30T03:59:59Z', true],
    [window('01:00', '04:00', workdays), '2026-11-30T04:00:00Z', false],
    [window('01:00', '04:00', workdays), '2026-11-29T02:00:00Z', false],
    [window('01:00', '04:00', { except: ['2026-11-30'] }), '2026-11-30T02:00:00Z', false],
    [window('22:00', '06:00', { days: [7] }), '2026-11-29T22:00:00Z', true],
    [window('22:00', '06:00', { days: [7] }), '2026-11-30T05:59:00Z', true],
    [window('22:00', '06:00', { days: [7] }), '2026-11-30T22:00:00Z', false],
    [window('22:00', '06:00', { days: [7], except: ['2026-11-30'] }), '2026-11-30T05:59:00Z', true],
    [window('22:00', '06:00', { days: [7], except: ['2026-11-29'] }), '2026-11-30T05:59:00Z', false],
    [window('08:00', '08:00', { days: [7] }), '2026-11-30T07:59:00Z', true],
    [window('08:00', '08:00', { days: [7] }), '2026-11-30T08:00:00Z', false],
  ] as const
  for (const [one, iso, isInside] of cases) {
    const found = modelPricesAt([price({ windows: [one] })], 'test-model', time(iso))
    t.equal(found?.miss === 9_000_000, isInside, `${one.from}-${one.until} ${iso}`)
  }
  const two = price({
    windows: [window('00:00', '12:00', { miss: 5 }), window('06:00', '12:00', { miss: 6 })],
  })
  t.equal(modelPricesAt([two], 'test-model', time('2026-11-30T07:00:00Z'))?.miss, 5_000_000)
  const india = price({ timeZone: 'Asia/Kolkata', windows: [window('05:30', '05:31')] })
  t.equal(modelPricesAt([india], 'test-model', time('2026-11-30T00:00:30Z'))?.miss, 9_000_000)
})

void t.test('a price that is not known makes all of it unknown, and later entries do not help', async (t) => {
  for (const over of [{ hit: null }, { miss: null }, { output: null }])
    t.equal(modelPricesAt([price(over), price()], 'test-model', NOON), null)
})

void t.test('cost is exact and rounded up to a millionth', async (t) => {
  const prices = { hit: 3_000, miss: 150_000, output: 600_000 }
  t.equal(costOf(usageOf(1_000_000, 0), prices), 150_000)
  t.equal(costOf(usageOf(1_000_000, 1_000_000, 400_000, 500_000), prices), 1_200 + 90_000 + 600_000)
  t.equal(costOf(usageOf(1, 0, 1), prices), 1, 'three thousandths of a millionth')
  t.equal(costOf(usageOf(0, 0), prices), 0)
  const most = { hit: 1e12, miss: 1e12, output: 1e12 }
  t.equal(costOf(usageOf(1e9, 1e9), most), 2e15, 'the highest price of the most tokens')
})

void t.test('searches: a thousandth of their price, rounded up', async (t) => {
  const entry: SearchPrice = {
    engine: 'deepseek',
    from: null,
    until: '2026-12-01',
    timeZone: 'UTC',
    thousand: 0.75,
  }
  const at = (over: Partial<SearchPrice>, iso = '2026-11-30T12:00:00Z'): number | null =>
    searchPriceAt([{ ...entry, ...over }], 'deepseek', time(iso))
  t.equal(at({}), 750)
  t.equal(at({ thousand: 0.0001 }), 1)
  t.equal(at({ thousand: 0 }), 0)
  t.equal(at({ thousand: null }), null)
  t.equal(at({ engine: 'brave' }), null)
  t.equal(at({}, '2026-12-01T00:00:00Z'), null)
})
