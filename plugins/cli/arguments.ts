import { parseArgs } from 'node:util'

/** How a server is started. */
export interface ServeOptions {
  /** 0 picks a free one. */
  readonly port: number
  readonly version: string
  readonly world: string
  readonly config: string
  /** Undefined: item names are English. */
  readonly languageFolder: string | undefined
  readonly onlineMode: boolean
}

/** What the words meant. */
export type ServeArguments =
  | { readonly kind: 'serve'; readonly options: ServeOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }

export const SERVE_HELP = `flying-squid-system [serve] [options]

Starts a flying-squid server with the System in the current folder.

  --port <n>       port to listen on, 0 for a free one (25565)
  --version <v>    Minecraft version (1.21.4)
  --world <dir>    world folder (world/<version>)
  --config <dir>   configuration folder (config/system)
  --language-folder <dir>
                   vanilla language files (zh_cn.json, …) whose item names players may use
  --online-mode    let only accounts in that Mojang's servers know
  --help           this text

A model's key is read from the environment, also from a .env file in the current folder.
SYSTEM_DEEPSEEK_API_KEY is the variable unless system-model.json names another.

Other commands; each has --help:

  doctor           asks the configured model a few times and says what works and what doesn't
  validate         reads data packs and says what is wrong in them, with file and line
  card             shows a card in the form that packs give it, as chat and as a window

For a stopped server:

  verify           decodes every data file and checks that they fit together
  move-player      gives everything that is kept of a player to another uuid`

/** Decodes the words behind `serve`. */
export function parseServeArguments(words: readonly string[]): ServeArguments {
  try {
    const { values } = parseArgs({
      args: [...words],
      allowPositionals: false,
      options: {
        port: { type: 'string', default: '25565' },
        version: { type: 'string', default: '1.21.4' },
        world: { type: 'string' },
        config: { type: 'string', default: 'config/system' },
        'language-folder': { type: 'string' },
        'online-mode': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return { kind: 'help' }
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : -1
    if (port < 0 || port > 65_535)
      return { kind: 'wrong', problem: `--port must be 0 to 65535, not ${values.port}` }
    return {
      kind: 'serve',
      options: {
        port,
        version: values.version,
        world: values.world ?? `world/${values.version}`,
        config: values.config,
        languageFolder: values['language-folder'],
        onlineMode: values['online-mode'],
      },
    }
  } catch (thrown) {
    return { kind: 'wrong', problem: thrown instanceof Error ? thrown.message : 'wrong arguments' }
  }
}
