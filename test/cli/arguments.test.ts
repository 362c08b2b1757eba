import t from 'tap'
import { parseServeArguments, SERVE_HELP } from '../../plugins/cli/arguments.js'

void t.test('a language folder is passed on; without one there is none', async (t) => {
  t.match(parseServeArguments(['--language-folder', 'lang']), {
    kind: 'serve',
    options: { languageFolder: 'lang', config: 'config/system' },
  })
  const plain = parseServeArguments([])
  t.equal(plain.kind === 'serve' ? plain.options.languageFolder : 'none', undefined)
  t.match(parseServeArguments(['--language-folder']), { kind: 'wrong' })
  t.match(SERVE_HELP, /--language-folder <dir>/)
})
