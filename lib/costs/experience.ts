/** Points that the levels up to this one take together, by vanilla's rule. Source: minecraft.wiki, Experience. */
export function pointsAt(level: number): number {
  if (level <= 16) return level * level + 6 * level
  if (level <= 31) return 2.5 * level * level - 40.5 * level + 360
  return 4.5 * level * level - 162.5 * level + 2_220
}

/** Whole levels that so many points are. */
export function levelOf(points: number): number {
  const guess =
    points <= pointsAt(16)
      ? Math.sqrt(points + 9) - 3
      : points <= pointsAt(31)
        ? 8.1 + Math.sqrt(0.4 * (points - 195.975))
        : 18.0555555 + Math.sqrt(0.2222222 * (points - 752.986111))
  let level = Math.max(0, Math.round(guess))
  // the roots are rounded
  while (level > 0 && pointsAt(level) > points) level--
  while (pointsAt(level + 1) <= points) level++
  return level
}

/**
 * Points that so many levels less are, the bar's share kept as vanilla keeps it. Of one who has fewer levels it is what those
 * levels take from nothing.
 */
export function pointsOfLevels(points: number, levels: number): number {
  const level = levelOf(points)
  if (level < levels) return pointsAt(levels)
  const share = (points - pointsAt(level)) / (pointsAt(level + 1) - pointsAt(level))
  const lower = level - levels
  const left = pointsAt(lower) + Math.floor(share * (pointsAt(lower + 1) - pointsAt(lower)))
  return points - left
}
