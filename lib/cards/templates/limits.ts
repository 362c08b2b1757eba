/** What a template may be and cost: far above what anybody reads, so that none takes long. */
export const TEMPLATE_LIMITS = {
  /** Of one member `body` or `nodes`. */
  nodes: 256,
  /** Code units of a text in a template. */
  textUnits: 1_024,
  /** Code units of a text with its values. */
  filledUnits: 100_000,
  /** Values beside one label, icons in a row, lines of an entry. */
  values: 64,
  /** Members of a `with`. */
  params: 32,
  /** Nodes and elements of lists, drawn or not, of one card. */
  steps: 10_000,
  /** Lines of one card. */
  lines: 2_000,
  /** Buttons of one card. */
  buttons: 256,
  /** Code units of all texts of one card. */
  units: 200_000,
} as const
