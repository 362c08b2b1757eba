import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { endpointSchema, type Endpoint } from '../../../lib/agent/models/index.js'
import { readConfig } from '../../../lib/config/index.js'
import type { Findings } from './findings.js'

/** Characters that a header can carry. */
const KEY = /^[\x21-\x7e]+$/

/** Where the endpoint is, without a key or a name that its address may carry. */
export const hostOf = ({ baseUrl }: Endpoint): string => new URL(baseUrl).host

/** The endpoint as a server would use it; null when none would be asked, which is a finding. Changes no file. */
export async function readEndpoint(folder: string, findings: Findings): Promise<Endpoint | null> {
  const path = join(resolve(folder), 'system-model.json')
  const lines: string[] = []
  const note = (line: string): void => void (line.includes('system-model') && lines.push(line))
  const logger = { info: note, warn: note, error: note }
  const { config, isEndpointSound } = await readConfig(
    { folder: resolve(folder), override: {}, logger },
    null,
  )
  for (const line of lines) if (isEndpointSound) findings.warn('configuration', line)
  if (!isEndpointSound) {
    findings.fail('configuration', `${path}: ${lines.join('; ')}`)
    return null
  }
  const { apiKeyEnv, provider, baseUrl, model, thinking, effort, extra } = config['system-model']
  const isWritten = (await stat(path).catch(() => null)) !== null
  const where = isWritten ? path : `no ${path}, so the defaults`
  findings.ok('configuration', `${where}: ${provider}, ${model}, ${new URL(baseUrl).host}`)
  const apiKey = readKey(apiKeyEnv, findings)
  if (apiKey === null) return null
  return endpointSchema.parse({ id: 'doctor', provider, baseUrl, model, thinking, effort, extra, apiKey })
}

function readKey(name: string, findings: Findings): string | null {
  if (name === '') {
    findings.ok('key', 'none is sent, for apiKeyEnv is empty')
    return ''
  }
  // as the server does that `flying-squid-system` starts
  if (existsSync('.env')) process.loadEnvFile('.env')
  const key = process.env[name] ?? ''
  if (key === '') {
    findings.fail(
      'key',
      `the environment variable ${name} holds nothing: set it, also in a .env file in this folder, or name another in apiKeyEnv`,
    )
    return null
  }
  if (KEY.test(key)) return key
  findings.fail('key', `${name} holds spaces, line breaks or characters that no key has: copy it again`)
  return null
}
