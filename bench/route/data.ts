import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { sharedPath } from '../../test/support/shared.js'
import type { LabeledText } from '../../lib/lexical/linear/index.js'

/** Public collections of labeled sentences beside the repository; null where they are absent. */
export const COLLECTIONS = sharedPath('data/benchmarks/intent')

const lineSchema = z.object({ text: z.string(), label: z.string() })
/** What CLINC150 calls a sentence that no label answers. */
const FOREIGN = 'oos'

async function read(file: string): Promise<LabeledText[]> {
  const text = gunzipSync(await readFile(join(COLLECTIONS ?? '', `${file}.jsonl.gz`))).toString()
  return text
    .trim()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)))
    .map(({ text, label }) => ({ text, label: label === FOREIGN ? null : label }))
}

/** Sentences to learn from and others to ask. */
export interface Collection {
  readonly name: string
  readonly train: readonly LabeledText[]
  readonly asked: readonly LabeledText[]
}

/** The first sentences of each label. */
function few(texts: readonly LabeledText[], count: number): LabeledText[] {
  const seen = new Map<string | null, number>()
  return texts.filter(({ label }) => {
    const before = seen.get(label) ?? 0
    seen.set(label, before + 1)
    return before < count
  })
}

/** The public test parts are not there: validation parts are asked, of HWU64 each tenth sentence. */
export async function collections(): Promise<{
  readonly clinc: Collection
  readonly few: Collection
  /** As many as a server has: 150 labels of 20 sentences. */
  readonly usual: Collection
  readonly others: readonly Collection[]
}> {
  const [train, foreign, val, foreignVal] = await Promise.all(
    ['train', 'oos_train', 'val', 'oos_val'].map((part) => read(`clinc150/${part}`)),
  )
  const clinc = (name: string, learned: readonly LabeledText[] = []): Collection => ({
    name,
    train: [...learned, ...(foreign ?? [])],
    asked: [...(val ?? []), ...(foreignVal ?? [])],
  })
  const hwu = await read('hwu64/train')
  const pair = async (name: string, learned = 'train'): Promise<Collection> => ({
    name,
    train: await read(`${name}/${learned}`),
    asked: await read(`${name}/val`),
  })
  return {
    clinc: clinc('clinc150', train),
    few: clinc('clinc150, 10 a label', few(train ?? [], 10)),
    usual: clinc('clinc150, 20 a label', few(train ?? [], 20)),
    others: [
      await pair('banking77', 'train_sub'),
      {
        name: 'hwu64',
        train: hwu.filter((_, at) => at % 10 !== 0),
        asked: hwu.filter((_, at) => at % 10 === 0),
      },
      await pair('zh_smp2019'),
      await pair('zh_smp2020'),
    ],
  }
}
