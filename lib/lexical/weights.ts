/** Weights of features, and the arrays they stand in: shared by index and trained router. */

/** How rare a feature is among the sentences: above 0 also for one that all have, or none. */
export const idf = (sentences: number, frequency: number): number =>
  Math.log((1 + sentences) / (1 + frequency)) + 1

/** What a feature counts that comes so often, sublinear. */
export const tf = (count: number): number => 1 + Math.log(count)

/** Typed arrays are read inside their bounds only; the fallback is for the compiler. */
export const at = (array: Uint32Array | Uint16Array | Float32Array | Float64Array, place: number): number =>
  array[place] ?? 0
