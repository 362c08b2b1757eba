import fc from 'fast-check'

/** Any sequence of code units, lone surrogates included, with the interesting ones made frequent. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        '§',
        'k',
        '\n',
        '\r',
        '\t',
        '\ud83d',
        '\ude00',
        '\u202e',
        '%s',
        '{name}',
        '&c',
        '"',
        '\\',
      ),
    ),
    { maxLength: 60 },
  )
  .map((units) => units.join(''))
