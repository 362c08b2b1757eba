/**
 * Advances of Minecraft's default font in pixels, the gap of one pixel included (Java Edition since 1.13). What isn't
 * named is 6 wide within ASCII. All else is taken for a full glyph of the Unicode font, which is never too narrow: a
 * page that is measured so can be shorter in the client, not longer.
 */
const ADVANCES: ReadonlyMap<string, number> = new Map([
  ...advances(2, "!',.:;i|"),
  ...advances(3, '`l'),
  ...advances(4, ' "()*I[]t{}'),
  ...advances(5, '<>fk'),
  ...advances(7, '@~'),
])
const ASCII_ADVANCE = 6
const UNICODE_ADVANCE = 9

function advances(width: number, glyphs: string): readonly (readonly [string, number])[] {
  return glyphs.split('').map((glyph) => [glyph, width] as const)
}

/** How far a character moves the pen; bold ones are drawn twice, a pixel apart. */
export function advance(glyph: string, isBold: boolean): number {
  const plain = ADVANCES.get(glyph) ?? (glyph < '\u007f' ? ASCII_ADVANCE : UNICODE_ADVANCE)
  return isBold ? plain + 1 : plain
}
