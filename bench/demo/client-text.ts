/** What a Chinese client writes for the items that the conversation shows; prismarine's data have English alone. */
const CHINESE: Readonly<Record<string, string>> = {
  'block.minecraft.piston': '活塞',
  'block.minecraft.cobblestone': '圆石',
  'block.minecraft.oak_planks': '橡木木板',
  'block.minecraft.spruce_planks': '云杉木板',
  'block.minecraft.acacia_planks': '金合欢木板',
  'block.minecraft.bamboo_planks': '竹板',
  'block.minecraft.birch_planks': '白桦木板',
  'item.minecraft.iron_ingot': '铁锭',
  'item.minecraft.redstone': '红石粉',
}

/** The client's own text of a key in its language, else the English one. */
export function clientText(
  key: string,
  locale: string,
  english: Readonly<Record<string, string>>,
): string | undefined {
  return locale === 'zh_cn' && Object.hasOwn(CHINESE, key) ? CHINESE[key] : english[key]
}
