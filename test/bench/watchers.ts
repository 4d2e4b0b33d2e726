/** Fan-out of events to many watchers, against a listener that only writes the same bytes to as many sockets. */

import { request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import type { Bare } from './bare.ts'
import type { BenchDaemon } from './daemon.ts'
import { encodeHttp2, Http2Responses, preface } from './load-http2.ts'

export interface FanOutOptions {
  readonly watchers: number
  readonly events: number
  readonly rounds: number
}

const namespace = 'many'
const path = `/api/v1/namespaces/${namespace}/configmaps`

/** Opens watches; resolves when each has had its response headers. */
async function openWatchers(daemon: BenchDaemon, origin: URL, count: number, line: string): Promise<TLSSocket[]> {
  const { cert, key } = daemon
  const open = () =>
    new Promise<TLSSocket>((resolve, reject) => {
      const socket = connect({ host: origin.hostname, port: Number(origin.port), cert, key, rejectUnauthorized: false }, () =>
        socket.write(line),
      )
      socket.once('error', reject)
      socket.once('data', () => resolve(socket))
    })
  const sockets: TLSSocket[] = []
  for (let index = 0; index < count; index += 20)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(20, count - index) }, open))))
  return sockets
}

/** Opens watches over HTTP/2, as many on each connection; resolves when each connection has had its first answer. */
async function openStreams(daemon: BenchDaemon, url: URL, count: number, connections: number): Promise<TLSSocket[]> {
  const { cert, key } = daemon
  const open = () =>
    new Promise<TLSSocket>((resolve, reject) => {
      const socket = connect(
        { host: url.hostname, port: Number(url.port), cert, key, rejectUnauthorized: false, ALPNProtocols: ['h2'] },
        () => {
          const responses = new Http2Responses(
            (bytes) => socket.write(bytes),
            () => reject(new Error('a watch has ended')),
          )
          socket.on('data', (data) => responses.feed(data))
          socket.write(preface)
          for (let index = 0; index < count / connections; index++)
            socket.write(encodeHttp2('GET', url, { accept: 'application/json' }, 2 * index + 1))
        },
      )
      socket.once('error', reject)
      socket.once('data', () => resolve(socket))
    })
  return Promise.all(Array.from({ length: connections }, open))
}

/** Resolves when every socket has received so many bytes. */
function received(sockets: readonly TLSSocket[], bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let waiting = sockets.length
    for (const socket of sockets) {
      let count = 0
      const listener = (chunk: Buffer) => {
        count += chunk.length
        if (count < bytes) return
        socket.off('data', listener)
        socket.resume()
        if (--waiting === 0) resolve()
      }
      socket.on('data', listener)
    }
  })
}

function touch(daemon: BenchDaemon, name: string, text: string): Promise<void> {
  const { url, ca, cert, key } = daemon
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/merge-patch+json' }
    const sent = request(`${url}${path}/${name}`, { method: 'PATCH', ca, cert, key, headers }, (response) => {
      response.resume()
      response.once('end', resolve)
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ data: { touched: text } }))
  })
}

/**
 * Deliveries a second to watchers that only count bytes, while objects are patched; `frame` is about the size of an event. `connections`: so
 * many over HTTP/2 have all of the watchers; otherwise each has one over HTTP/1.1.
 */
export async function deliveries(
  daemon: BenchDaemon,
  { watchers, events, connections }: Omit<FanOutOptions, 'rounds'> & { readonly connections?: number },
  round: number,
): Promise<{ rate: number; frame: number }> {
  const origin = new URL(daemon.url)
  const version = await new Promise<string>((resolve, reject) => {
    const { ca, cert, key } = daemon
    request(`${daemon.url}${path}?limit=1`, { ca, cert, key }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk))
      response.on('end', () => resolve((JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion))
    })
      .on('error', reject)
      .end()
  })
  const target = `${path}?watch=true&resourceVersion=${version}`
  const sockets =
    connections === undefined
      ? await openWatchers(daemon, origin, watchers, `GET ${target} HTTP/1.1\r\nhost: bench\r\naccept: application/json\r\n\r\n`)
      : await openStreams(daemon, new URL(target, origin), watchers, connections)
  const frame = 900
  const done = received(sockets, (events * frame * watchers) / sockets.length)
  const began = performance.now()
  let next = 0
  const write = async () => {
    while (next < events + 20) await touch(daemon, `object-${next % 1000}`, `${round}-${next++}`)
  }
  await Promise.all(Array.from({ length: 16 }, write))
  await done
  const rate = (events * watchers * 1000) / (performance.now() - began)
  for (const socket of sockets) socket.destroy()
  return { rate, frame }
}

/** The same bytes written as chunks to as many open responses of a bare listener. */
async function bareWrites(daemon: BenchDaemon, bare: Bare, { watchers, events }: FanOutOptions, frame: number): Promise<number> {
  const sockets = await openWatchers(daemon, new URL(bare.url), watchers, 'GET /watch HTTP/1.1\r\nhost: bench\r\n\r\n')
  const done = received(sockets, events * frame)
  const began = performance.now()
  bare.burst({ events: events + 20, frame })
  await done
  const rate = (events * watchers * 1000) / (performance.now() - began)
  for (const socket of sockets) socket.destroy()
  return rate
}

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export async function fanOut(daemon: BenchDaemon, bare: Bare, options: FanOutOptions) {
  const pairs: [number, number][] = []
  for (let round = 0; round < options.rounds; round++) {
    const { rate, frame } = await deliveries(daemon, options, round)
    pairs.push([rate, await bareWrites(daemon, bare, options, frame)])
  }
  const show = (value: number) => `${Math.round(value).toLocaleString('en')} events/s`
  return {
    name: `WATCH, ${options.watchers} watchers`,
    ours: show(middle(pairs.map(([value]) => value))),
    limit: show(middle(pairs.map(([, value]) => value))),
    ratio: middle(pairs.map(([a, b]) => a / b)),
    aim: '≥ 0.7 of bare writes',
  }
}
