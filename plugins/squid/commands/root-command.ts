import type { CommandContext, SquidCommandParams, SquidPlayer, SquidServer } from '../types.js'

/** The forms of a word that flying-squid shall look up: it compares case, phones and caps lock write another one. */
export function spellings(name: string): readonly string[] {
  return [...new Set([name, `${name.charAt(0).toUpperCase()}${name.slice(1)}`, name.toUpperCase()])]
}

/**
 * Registers the root word for players and console alike; everything behind it reaches `onText` as it was typed.
 * flying-squid looks up only the first word, so the grammar behind it is ours. Returns how to take it away again.
 */
export function registerRootCommand(
  serv: SquidServer,
  command: { readonly name: string; readonly info: string },
  onText: (player: SquidPlayer | null, text: string) => void,
): () => void {
  const { name, info } = command
  const params: SquidCommandParams = {
    base: name,
    aliases: spellings(name).slice(1),
    info,
    usage: `/${name}`,
    op: false,
    // without `parse` the action gets the text behind the word, unchanged
    action(text: unknown, context: CommandContext) {
      onText(context.player ?? null, typeof text === 'string' ? text : '')
      // a result would be shown in red
      return undefined
    },
  }
  serv.commands.add(params)
  return () => {
    for (const table of [serv.commands.hash, serv.commands.uniqueHash])
      for (const word of spellings(name)) if (table[word]?.params === params) delete table[word]
  }
}
