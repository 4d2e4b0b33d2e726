/** A load generator in a separate process with raw TLS sockets, cheap compared with the measured server. */
import { fork } from 'node:child_process'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { Http1Responses, http1Encoder } from './load-http1.ts'
import { encodeHttp2, Http2Responses, preface } from './load-http2.ts'

/** Milliseconds. */
const nap = 1

export interface LoadOptions {
  /** Origin, as `https://127.0.0.1:6443`. */
  readonly url: string
  /** PEM; absent: the server's certificate is not verified. */
  readonly ca?: string
  readonly connections: number
  readonly seconds: number
  /** Seconds before measuring; default 0.5. */
  readonly warmupSeconds?: number
  /** Polls for responses once per millisecond instead of continuously, when other processes need the processor. */
  readonly sleeps?: boolean
  readonly protocol?: 'http/1.1' | 'h2'
  readonly method?: string
  /** In path and body, `{n}` is replaced by a number unique to each request, `{k}` by one that repeats after 1,000 requests. */
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly cert?: string
  readonly key?: string
}

export interface LoadResult {
  readonly requestsPerSecond: number
  readonly p50ms: number
  readonly p99ms: number
  readonly requests: number
  /** Responses with a status of 400 or more (not counted over HTTP/2), and broken connections. */
  readonly failures: number
}

/** Sends sequential requests on each connection for this many seconds. Rejects when no connection succeeds. */
export function load(options: LoadOptions): Promise<LoadResult> {
  const child = fork(fileURLToPath(import.meta.url), ['--load-worker'], { execArgv: ['--import', 'tsx'] })
  return new Promise((resolve, reject) => {
    child.once('message', (message: LoadResult | { readonly error: string }) => {
      child.disconnect()
      if ('error' in message) reject(new Error(message.error))
      else resolve(message)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`load generator exited with ${code}`)))
    child.send(options)
  })
}

interface Exchange {
  readonly send: () => void
  readonly feed: (data: Buffer) => void
}

function run(options: LoadOptions): Promise<LoadResult> {
  const { method = 'GET', path = '/', headers = {}, body, protocol = 'http/1.1' } = options
  const url = new URL(path, options.url)
  const varies = /\{[nk]\}/.test(`${path} ${body}`)
  const latencies: number[] = []
  let number = 0
  let failures = 0
  let measuring = false

  const numbered = () => {
    const n = `${process.pid}-${number}`
    const k = String(number++ % 1_000)
    const fill = (text: string) => text.replaceAll('{n}', n).replaceAll('{k}', k)
    return { path: fill(path), body: body && fill(body) }
  }
  const exchanges = {
    'http/1.1': (write: (bytes: Buffer) => void, done: (status: number) => void): Exchange => {
      const encode = http1Encoder(method, url, headers)
      const same = encode(path, body)
      const next = () => {
        const { path, body } = numbered()
        return encode(path, body)
      }
      const responses = new Http1Responses(method, done)
      return { send: () => write(varies ? next() : same), feed: (data) => responses.feed(data) }
    },
    h2: (write: (bytes: Buffer) => void, done: (status: number) => void): Exchange => {
      const same = encodeHttp2(method, url, headers, 1, body)
      let stream = -1
      const next = () => {
        stream += 2
        if (varies) {
          const { path, body } = numbered()
          return encodeHttp2(method, new URL(path, url), headers, stream, body)
        }
        const bytes = Buffer.from(same)
        bytes.writeUInt32BE(stream, 5)
        if (body !== undefined) bytes.writeUInt32BE(stream, 9 + bytes.readUIntBE(0, 3) + 5)
        return bytes
      }
      const responses = new Http2Responses(write, () => done(200))
      write(preface)
      return { send: () => write(next()), feed: (data) => responses.feed(data) }
    },
  }

  const open = () =>
    new Promise<() => void>((resolve, reject) => {
      const { hostname, port } = new URL(options.url)
      const { ca, cert, key } = options
      const socket = connect({
        host: hostname,
        port: Number(port),
        ALPNProtocols: [protocol],
        rejectUnauthorized: ca !== undefined,
        ca,
        cert,
        key,
      })
      socket.once('error', reject)
      socket.once('secureConnect', () => {
        let started = 0
        const exchange = exchanges[protocol](
          (bytes) => socket.write(bytes),
          (status) => {
            if (measuring) latencies.push(performance.now() - started)
            if (status >= 400) failures++
            started = performance.now()
            exchange.send()
          },
        )
        socket.setNoDelay(true)
        socket.on('data', exchange.feed)
        socket.on('close', () => failures++)
        resolve(() => {
          started = performance.now()
          exchange.send()
        })
      })
    })

  return (async () => {
    const starts = await Promise.all(Array.from({ length: options.connections }, open))
    for (const start of starts) start()
    // Polls instead of waiting: on a virtual machine, waking a waiting client is expensive for the server.
    let spinning = true
    const alarm = new Int32Array(new SharedArrayBuffer(4))
    const spin = () => {
      if (options.sleeps) Atomics.wait(alarm, 0, 0, nap)
      if (spinning) setImmediate(spin)
    }
    spin()
    await new Promise((resolve) => setTimeout(resolve, (options.warmupSeconds ?? 0.5) * 1000))
    measuring = true
    const began = performance.now()
    await new Promise((resolve) => setTimeout(resolve, options.seconds * 1000))
    spinning = false
    const seconds = (performance.now() - began) / 1000
    const sorted = Float64Array.from(latencies).sort()
    const quantile = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
    return {
      requestsPerSecond: sorted.length / seconds,
      p50ms: quantile(0.5),
      p99ms: quantile(0.99),
      requests: sorted.length,
      failures,
    }
  })()
}

if (process.argv[2] === '--load-worker') {
  process.once('message', (options: LoadOptions) => {
    const answer = (message: LoadResult | { error: string }) => process.send?.(message, () => process.exit(0))
    run(options).then(answer, (error: Error) => answer({ error: error.message }))
  })
}
