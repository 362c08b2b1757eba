/** The pictures of the documentation are those that `npm run pictures` makes now, and are shown where they belong. */
import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { makePictures, PICTURES } from './support/pictures.js'

const MOST_BYTES = 15_000

void t.test('docs/pictures', async (t) => {
  const made = await makePictures()
  t.strictSame((await readdir(PICTURES)).sort(), [...made.keys()].sort())
  const pages = await Promise.all(
    ['../README.md', 'PLAYERS.md', 'HOSTS.md', 'CARDS.md'].map((name) =>
      readFile(new URL(`../${name}`, PICTURES), 'utf8'),
    ),
  )
  for (const [name, svg] of made) {
    t.equal(await readFile(new URL(name, PICTURES), 'utf8'), svg, `${name}: npm run pictures`)
    t.ok(Buffer.byteLength(svg) < MOST_BYTES, name)
    t.ok(
      pages.some((page) => page.includes(`pictures/${name})`)),
      `${name} is shown`,
    )
  }
})
