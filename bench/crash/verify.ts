import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const main = fileURLToPath(new URL('../../plugins/cli/main.js', import.meta.url))
const reportSchema = z.looseObject({ findings: z.array(z.looseObject({ code: z.string() })) })

/** What the product's own check of a stopped server's data finds, a line each. */
export function verify(data: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'verify', '--data', data, '--json'], (error, stdout, stderr) => {
      const parsed = z.safeParse(reportSchema, safeJson(stdout))
      if (!parsed.success) return resolve([`verify broke: ${stderr || (error?.message ?? '')}`])
      resolve(parsed.data.findings.map((finding) => `verify: ${JSON.stringify(finding)}`))
    })
  })
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
