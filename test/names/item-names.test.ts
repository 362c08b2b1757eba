import t from 'tap'
import { inSlices } from '../../lib/core/slices.js'
import { itemNamesIn, itemNameSteps, mergeNames } from '../../lib/names/index.js'
import { identifier } from '../../lib/core/ids.js'

const asObject = (names: ReadonlyMap<string, readonly string[]>): Record<string, readonly string[]> =>
  Object.fromEntries(names)

void t.test('the name of an item is its own, else its block’s; aliases follow', async (t) => {
  const { names, unused } = itemNamesIn({
    'block.minecraft.wheat': '小麦植株',
    'item.minecraft.wheat': '小麦',
    'block.minecraft.piston': ' 活\u0007 \n塞 ',
    'system.alias.minecraft.piston': '推杆|活 塞| 推杆 ',
    'system.alias.other.thing': 'thing',
    'item.minecraft.music_disc_11.desc': 'C418 - 11',
    'block.minecraft.banner.base.black': '黑色底面',
    'item.minecraft': 'nothing',
    'item.Minecraft.Stone': 'nothing',
    'entity.minecraft.pig': '猪',
    'gui.done': '完成',
    __proto__: null,
  })
  t.strictSame(asObject(names), {
    'minecraft:wheat': ['小麦'],
    'minecraft:piston': ['活 塞', '推杆'],
    'other:thing': ['thing'],
  })
  t.equal(unused, 0)
})

void t.test('what is no usable name is counted', async (t) => {
  const { names, unused } = itemNamesIn({
    'item.minecraft.a': 1,
    'item.minecraft.b': { deep: [] },
    'item.minecraft.c': null,
    'item.minecraft.d': '  ',
    'item.minecraft.e': 'x'.repeat(129),
    'item.minecraft.constructor': 'ok',
    'gui.number': 5,
    'system.alias.minecraft.f': Array.from({ length: 18 }, (_, at) => `alias ${at}`).join('|'),
  })
  t.equal(unused, 7)
  t.strictSame([...names.keys()], ['minecraft:constructor', 'minecraft:f'])
  const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`item.minecraft.i${at}`, 'x']))
  t.equal(itemNamesIn(many).names.size, 8_192)
  t.equal(itemNamesIn(many).unused, 9_000 - 8_192)
})

void t.test('names of two sources are put together', async (t) => {
  const [piston, stone] = [identifier('minecraft:piston'), identifier('minecraft:stone')]
  const first = new Map([['zh_cn', new Map([[piston, ['推杆']]])]])
  const second = new Map([
    [
      'zh_cn',
      new Map([
        [piston, ['活塞', '推杆']],
        [stone, ['石头']],
      ]),
    ],
    ['ja_jp', new Map([[stone, ['石']]])],
  ])
  const merged = (await inSlices(mergeNames(first, second))) ?? new Map<string, never>()
  t.strictSame(merged.get('zh_cn')?.get(piston), ['推杆', '活塞'])
  t.strictSame(merged.get('zh_cn')?.get(stone), ['石头'])
  t.strictSame(merged.get('ja_jp')?.get(stone), ['石'])
  t.strictSame(first.get('zh_cn')?.get(piston), ['推杆'], 'the sources stay as they are')
})

void t.test('names are found and merged in small steps', async (t) => {
  const alias = Array.from({ length: 1_000 }, (_, at) => `n${at}`).join('|')
  const many = Object.fromEntries([
    ...Array.from({ length: 2_000 }, (_, at) => [`item.a.x${at}`, `Name ${at}`] as const),
    ['system.alias.a.x0', alias],
  ])
  t.ok([...itemNameSteps(many)].length >= 16)
  const names = new Map([['en_us', itemNamesIn(many).names]])
  t.ok([...mergeNames(names, names)].length >= 8)
})
