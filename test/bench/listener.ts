/** Compares our listener with the bare runtime: the same bytes, sockets and load generator. */
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { Reply } from '../../core/answers/reply.ts'
import { listen } from '../../runtimes/node/network/listener.ts'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'
import { load } from './load.ts'

export interface ListenerComparison {
  readonly protocol: 'http/1.1' | 'h2'
  readonly method: 'GET' | 'POST'
  /** Requests per second, median of the rounds. */
  readonly bare: number
  readonly ours: number
  readonly ratio: number
  /** CPU time of the server process per request, in microseconds; less disturbed by other processes. */
  readonly bareMicroseconds: number
  readonly oursMicroseconds: number
}

export interface ComparisonOptions {
  readonly rounds?: number
  readonly seconds?: number
  readonly connections?: number
}

const authority = issueAuthority('bench-ca', newKey(), Date.now())
const { certPem: cert, keyPem: key } = issue(authority, { commonName: 'localhost', names: ['localhost', '127.0.0.1'] }, Date.now())
const text = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', data: { text: 'x'.repeat(900) } })
const bytes = new TextEncoder().encode(text)
const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) }

interface Running {
  readonly port: number
  close(): void | Promise<void>
}

type Start = () => Promise<Running>

/** A listener of Node; for HTTP/2 with its request and response objects. */
const bare = (protocol: 'http/1.1' | 'h2'): Start => {
  const server =
    protocol === 'h2'
      ? createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
          request.on('data', () => {})
          request.on('end', () => {
            response.writeHead(200, headers)
            response.end(bytes)
          })
        })
      : createServer({ cert, key }, (request, response) => {
          request.on('data', () => {})
          request.on('end', () => {
            response.writeHead(200, headers)
            response.end(bytes)
          })
        })
  return () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () =>
        resolve({
          port: (server.address() as AddressInfo).port,
          close: () => {
            server.close()
          },
        }),
      )
    })
}

const ours: Start = async () => {
  const listener = await listen({ address: '127.0.0.1', cert, key }, async (request) => {
    if (request.method === 'POST') await request.arrayBuffer()
    return new Reply(bytes, { headers })
  })
  return { port: listener.port, close: () => listener.close(0) }
}

async function measure(start: Start, protocol: 'http/1.1' | 'h2', method: string, { seconds = 2, connections = 32 }: ComparisonOptions) {
  const server = await start()
  const warmupSeconds = 1
  const before = process.cpuUsage()
  const result = await load({
    url: `https://127.0.0.1:${server.port}`,
    ca: authority.certPem,
    connections,
    seconds,
    warmupSeconds,
    protocol,
    method,
    path: '/api/v1/namespaces/default/configmaps/bench',
    headers: { Accept: 'application/json', 'User-Agent': 'bench', Authorization: 'Bearer 0123456789' },
    ...(method === 'POST' && { body: text }),
  })
  const { user, system } = process.cpuUsage(before)
  await server.close()
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`)
  return { rate: result.requestsPerSecond, microseconds: (user + system) / result.requestsPerSecond / (seconds + warmupSeconds) }
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Alternates the measurements, so that load on the machine disturbs both alike. */
export async function compareListener(options: ComparisonOptions = {}): Promise<ListenerComparison[]> {
  const rows: ListenerComparison[] = []
  for (const protocol of ['http/1.1', 'h2'] as const) {
    for (const method of ['GET', 'POST'] as const) {
      const results = { bare: [] as { rate: number; microseconds: number }[], ours: [] as { rate: number; microseconds: number }[] }
      for (let round = 0; round < (options.rounds ?? 3); round++) {
        results.bare.push(await measure(bare(protocol), protocol, method, options))
        results.ours.push(await measure(ours, protocol, method, options))
      }
      const rate = (key: 'bare' | 'ours') => median(results[key].map(({ rate }) => rate))
      const cost = (key: 'bare' | 'ours') => median(results[key].map(({ microseconds }) => microseconds))
      rows.push({
        protocol,
        method,
        bare: rate('bare'),
        ours: rate('ours'),
        ratio: rate('ours') / rate('bare'),
        bareMicroseconds: cost('bare'),
        oursMicroseconds: cost('ours'),
      })
    }
  }
  return rows
}

/** One line per comparison. */
export function printComparison(rows: readonly ListenerComparison[]): void {
  for (const { protocol, method, bare, ours, ratio, bareMicroseconds, oursMicroseconds } of rows) {
    const costs = `${oursMicroseconds.toFixed(1)} and ${bareMicroseconds.toFixed(1)} µs of CPU`
    console.log(
      `listener ${protocol} ${method}: ${ratio.toFixed(2)} of bare (${Math.round(ours)} and ${Math.round(bare)} requests/s, ${costs})`,
    )
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  printComparison(await compareListener())
  process.exit()
}
