/**
 * What packs may cost. Each limit is enforced while reading: what lies behind it is never held in memory. Vanilla 1.21.4
 * for comparison: 5,110 files, 3 MB of text, 17 levels of JSON, 20,000 ids in resolved tags.
 */
export const PACK_LIMITS = {
  /** Packs of one load. One more is named and left out. */
  packs: 256,
  /** Files and folders of one pack; a larger pack is refused. */
  files: 65_536,
  /** Files and folders of all packs of a load together. */
  allFiles: 262_144,
  /** UTF-16 units of a path inside a pack. */
  pathUnits: 512,
  /** Bytes of one text, JSON or not. */
  fileBytes: 1_048_576,
  /** Bytes of a prompt: with the catalogue of modules a model call may have 24 KiB. */
  promptBytes: 16_384,
  /** Bytes of a zip file. */
  zipBytes: 268_435_456,
  /** Bytes unpacked of one zip, whatever its entries claim. */
  unpackedBytes: 33_554_432,
  /** Bytes of all texts of a load. */
  allBytes: 33_554_432,
  /** Nesting of JSON; the outer object is level 1. */
  depth: 64,
  /** Numbers, texts, lists, objects, … that all entries of a load consist of. */
  values: 524_288,
  /** The same of one entry: a decoder says something of each wrong one. */
  entryValues: 4_096,
  /** Ids in all resolved tags of a load, and the tags. */
  tagMembers: 65_536,
  /** Sentences in language files, of all packs and languages together; a vanilla file has 7,000. */
  sentences: 131_072,
  /** Sentences of one language. */
  languageSentences: 16_384,
  languages: 256,
  /** UTF-16 units of all sentences and their keys. */
  textUnits: 8_388_608,
  /** Phrases that have synonyms, of all languages together. */
  phrases: 8_192,
  /** Their variants. */
  variants: 32_768,
  /** Languages with synonyms: the index of local routing takes no more. */
  synonymTables: 48,
  prompts: 256,
  /** Bytes of one pack.mcmeta. */
  metaBytes: 65_536,
  /** Entries of `overlays` and of `filter.block` in one pack.mcmeta. */
  metaEntries: 64,
  /** UTF-16 units of a pattern in `filter.block`. */
  patternUnits: 256,
  /** Steps of matching patterns in a load: a few nanoseconds each. */
  patternSteps: 50_000_000,
  /** Problems that are listed; the rest is counted. */
  problems: 1_000,
  /** Code points of what a problem repeats from a pack. */
  quotedPoints: 64,
} as const
