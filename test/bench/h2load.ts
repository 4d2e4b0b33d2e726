/** `h2load` of nghttp2 (Debian: nghttp2-client): many streams over few connections, as clients of this API use them. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const connections = 8
const streams = 4
/** Older builds refused a generated name that was in use, one of some thousands. */
const leastAnswered = 0.999

export interface Load {
  /** Such as `https://127.0.0.1:6443`. */
  readonly origin: string
  /** Requested in turn. */
  readonly paths: readonly string[]
  readonly requests: number
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

/** Requests per second. Rejects when responses are not 2xx, or when there is no h2load. */
export async function h2load({ origin, paths, requests, method, headers = {}, body }: Load): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'h2load-'))
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  try {
    const fields = Object.entries({ ...headers, ...(method && { ':method': method }) }).flatMap(([name, value]) => [
      '-H',
      `${name}: ${value}`,
    ])
    const { stdout } = await run('h2load', [
      ...['-n', String(requests), '-c', String(connections), '-m', String(streams), '-t', '1'],
      ...fields,
      ...(body === undefined ? [] : ['-d', file('body', body)]),
      ...['-i', file('paths', paths.map((path) => `${origin}${path}\n`).join(''))],
    ])
    const [, rate] = /finished in .*?, ([\d.]+) req\/s/.exec(stdout) ?? []
    const [, answered] = /status codes: (\d+) 2xx/.exec(stdout) ?? []
    if (rate === undefined || Number(answered) < requests * leastAnswered)
      throw new Error(`${answered} of ${requests} requests succeeded:\n${stdout}`)
    return Number(rate)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
