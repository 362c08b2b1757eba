/** Lexical analysis and a sparse TF-IDF index: used by routing, item names and knowledge. */
export { ITEM_MARK, featuresOf, foldText, isCharacter, scanUnits, type Unit } from './analysis.js'
export { SparseIndex, compareText } from './sparse-index.js'
export {
  compileSynonyms,
  isPhrase,
  MAX_VARIANTS,
  PHRASE_UNITS,
  synonymsSchema,
  type SynonymReplacer,
  type Synonyms,
} from './synonyms.js'
