/**
 * Records the events of a reference server: `node --import tsx test/reference/audit/record.ts URL LOG`. It must be fresh and have the users of
 * `test/reference`, the policy `rules: [{level: RequestResponse}]`, and write its events to LOG.
 */
import { readFileSync } from 'node:fs'
import { eventually } from '../../support/wait.ts'
import { writeFacts } from './facts.ts'
import { normalEvent } from './normal.ts'
import { steps } from './requests.ts'
import { sendAll } from './send.ts'

const [url = '', log = ''] = process.argv.slice(2)
process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'

const linesOf = async (name: string) => {
  let lines: string[] = []
  await eventually(`events of ${name}`, async () => {
    lines = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"auditID":"${name}"`))
    const last = lines.at(-1) ?? ''
    return last.includes('"stage":"ResponseComplete"') || (last.includes('"stage":"ResponseStarted"') && last.includes('"user":{}'))
  })
  return lines
}

const lines = await sendAll(url, fetch, linesOf)
console.info(`${steps.length} requests, ${lines.length} events, ${writeFacts(lines.map(normalEvent))} bytes`)
