/** The limits for comparisons: a TLS listener with fixed responses, and a file that is appended to and synced. */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface BareAnswer {
  readonly headers: Record<string, string>
  readonly body: string
  /** Encoding of `body`; default UTF-8. */
  readonly encoding?: 'latin1'
}

export interface BareOptions {
  readonly cert: string
  readonly key: string
  readonly answers: { readonly [path: string]: BareAnswer }
}

/** Frames to write to every open response of `/watch`. */
export interface Burst {
  readonly events: number
  readonly frame: number
}

export interface Bare {
  readonly url: string
  burst(burst: Burst): void
  stop(): void
}

/** A listener in a separate process, which answers each path with its bytes and keeps `/watch` open. */
export function startBare(options: BareOptions): Promise<Bare> {
  const child = fork(fileURLToPath(import.meta.url), ['--bare-worker'], { execArgv: ['--import', 'tsx'] })
  return new Promise((resolve, reject) => {
    child.once('message', (port: number) =>
      resolve({ url: `https://127.0.0.1:${port}`, burst: (burst) => child.send(burst), stop: () => child.kill() }),
    )
    child.once('exit', () => reject(new Error('bare listener ended')))
    child.send(options)
  })
}

function serve({ cert, key, answers }: BareOptions, watching: Set<ServerResponse>): Server {
  const bodies = new Map(
    Object.entries(answers).map(([path, { headers, body, encoding }]) => [path, { headers, body: Buffer.from(body, encoding ?? 'utf8') }]),
  )
  return createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    if (request.url === '/watch') {
      watching.add(response.writeHead(200, { 'content-type': 'application/json' }))
      response.flushHeaders()
      return response.on('close', () => watching.delete(response))
    }
    const answer = bodies.get(request.url ?? '')
    if (answer === undefined) return response.writeHead(404).end()
    return response.writeHead(200, { ...answer.headers, 'content-length': answer.body.length }).end(answer.body)
  })
}

/** Durable appends per second to a plain file by concurrent writers, each waiting for its own: one sync for all that wait. */
export async function bareAppends(writers: number, seconds: number, value: Uint8Array): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-append-'))
  const file = await open(join(directory, 'file'), 'w')
  const end = performance.now() + seconds * 1000
  let appends = 0
  let waiting: (() => void)[] = []
  const write = async () => {
    while (performance.now() < end) {
      await new Promise<void>((resolve) => waiting.push(resolve))
      appends++
    }
  }
  const flush = async () => {
    while (waiting.length > 0) {
      const written = waiting
      waiting = []
      await file.write(Buffer.concat(written.map(() => value)))
      await file.datasync()
      for (const done of written) done()
      // By then the next appends of the writers are queued.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const running = Array.from({ length: writers }, write)
  await flush()
  await Promise.all(running)
  await file.close()
  rmSync(directory, { recursive: true, force: true })
  return appends / seconds
}

if (process.argv.includes('--bare-worker')) {
  process.once('message', (options: BareOptions) => {
    const watching = new Set<ServerResponse>()
    const server = serve(options, watching)
    process.on('message', async ({ events, frame }: Burst) => {
      const bytes = Buffer.alloc(frame, 'x')
      for (let event = 0; event < events; event++) {
        for (const response of watching) response.write(bytes)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      process.send?.(typeof address === 'object' ? address?.port : undefined)
    })
  })
}
