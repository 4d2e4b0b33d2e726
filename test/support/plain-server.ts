/** A child process that serves HTTP without TLS on the port given as its last argument. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { killedAtExit } from './child.ts'
import type { Command } from './daemon.ts'
import { freePort } from './free-port.ts'
import { root } from './root.ts'
import { type Fetch, plainFetch } from './tls-fetch.ts'
import { eventually, within } from './wait.ts'

/** How requests reach the server in the process. */
export interface PlainAccess {
  /** Before the paths of requests. */
  readonly base?: string
  readonly token?: string
}

/** Starts it in a directory, by default the checkout; resolves when `/readyz` answers 200. `output`: what it has printed so far. */
export async function startPlain(
  [program, ...args]: Command,
  directory = root,
  { base = '', token }: PlainAccess = {},
): Promise<{ readonly port: number; readonly fetch: Fetch; output(): string; close(): Promise<void> }> {
  const port = await freePort()
  const child = killedAtExit(spawn(program, [...args, String(port)], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] }))
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const client = plainFetch(`http://127.0.0.1:${port}`)
  const fetch: Fetch = (path, init = {}) => {
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return client.fetch(`${base}${path}`, { ...init, headers })
  }
  const close = async () => {
    client.close()
    child.kill('SIGTERM')
    await within(`end of ${program}`, ended).catch((error: unknown) => {
      child.kill('SIGKILL')
      throw error
    })
  }
  try {
    await eventually(`${program} ${args.join(' ')} serves`, async () => {
      if (child.exitCode !== null) throw new Error(output)
      return (await fetch('/readyz', { signal: AbortSignal.timeout(5_000) })).ok
    })
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
  return { port, fetch, output: () => output, close }
}
