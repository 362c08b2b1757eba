/**
 * Advances of Minecraft's default font in pixels, the gap of one pixel included (Java Edition since 1.13). What isn't
 * named is 6 wide within ASCII. All else is taken for a full glyph of the Unicode font, which is never too narrow: a
 * page that is measured so can be shorter in the client, not longer.
 */
const NARROW: readonly (readonly [width: number, glyphs: string])[] = [
  [2, "!',.:;i|"],
  [3, '`l'],
  [4, ' "()*I[]t{}'],
  [5, '<>fk'],
  [7, '@~'],
]
const ASCII_ADVANCE = 6
const UNICODE_ADVANCE = 9

/** By code point. */
const ADVANCES = new Uint8Array(0x7f).fill(ASCII_ADVANCE)
for (const [width, glyphs] of NARROW) for (const glyph of glyphs) ADVANCES[glyph.charCodeAt(0)] = width

/** How far the character of a code point moves the pen; bold ones are drawn twice, a pixel apart. */
export function advance(code: number, isBold: boolean): number {
  const plain = ADVANCES[code] ?? UNICODE_ADVANCE
  return isBold ? plain + 1 : plain
}
