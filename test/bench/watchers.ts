/** Fan-out of events to many watchers, compared with a listener that only writes the same bytes to as many sockets. */

import { connect, type TLSSocket } from 'node:tls'
import type { Bare } from './bare.ts'
import { call } from './call.ts'
import type { BenchDaemon } from './daemon.ts'
import { encodeHttp2, Http2Responses, preface } from './load-http2.ts'

export interface FanOutOptions {
  readonly watchers: number
  readonly events: number
  readonly rounds: number
}

const namespace = 'many'
const path = `/api/v1/namespaces/${namespace}/configmaps`

/** Opens watches; resolves when all response headers have arrived. */
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

/** Opens watches over HTTP/2, equally many on each connection; resolves when each connection has a response. */
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

/** Resolves when every socket has received this many bytes. */
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

const types = { 'content-type': 'application/merge-patch+json', accept: 'application/json' }
const pathOf = (index: number) => `${path}/object-${index % 1000}`
const textOf = (round: number, index: number) => JSON.stringify({ data: { touched: `${round}-${index}` } })
/** Bytes of an event around its object: `{"type":"MODIFIED","object":` and `}`. The response to a patch also ends with a newline. */
const envelope = 28
/** Concurrent patches, all on one connection. */
const writers = 16

/** Patches this many objects; resolves when the connection is open. Rejects when it breaks before the last response. */
function touchAll(daemon: BenchDaemon, round: number, count: number): Promise<TLSSocket> {
  const { url, cert, key } = daemon
  const origin = new URL(url)
  return new Promise((resolve, reject) => {
    let next = 0
    const touch = () => {
      if (next === count) return
      const stream = 2 * next + 1
      socket.write(encodeHttp2('PATCH', new URL(pathOf(next), origin), types, stream, textOf(round, next++)))
    }
    const responses = new Http2Responses((bytes) => socket.write(bytes), touch)
    const socket = connect(
      { host: origin.hostname, port: Number(origin.port), cert, key, rejectUnauthorized: false, ALPNProtocols: ['h2'] },
      () => {
        socket.write(preface)
        for (let index = 0; index < writers; index++) touch()
        resolve(socket)
      },
    )
    socket.on('data', (data) => responses.feed(data))
    socket.once('error', reject)
  })
}

/** Size of an event in bytes: a patched object and its envelope. */
async function eventSize(daemon: BenchDaemon, round: number): Promise<number> {
  const { body } = await call(daemon, 'PATCH', pathOf(0), JSON.parse(textOf(round, 0)) as object, types)
  return body.length + envelope
}

/**
 * Deliveries per second to watchers that only count bytes, while objects are patched over HTTP/2. `frame`: size of an
 * event. `connections`: number of HTTP/2 connections for all watchers; absent: each watcher has an HTTP/1.1 connection.
 */
export async function deliveries(
  daemon: BenchDaemon,
  { watchers, events, connections }: Omit<FanOutOptions, 'rounds'> & { readonly connections?: number },
  round: number,
): Promise<{ rate: number; frame: number }> {
  const origin = new URL(daemon.url)
  const frame = await eventSize(daemon, round)
  const { metadata } = JSON.parse((await call(daemon, 'GET', `${path}?limit=1`)).body) as { metadata: { resourceVersion: string } }
  const target = `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`
  const sockets =
    connections === undefined
      ? await openWatchers(daemon, origin, watchers, `GET ${target} HTTP/1.1\r\nhost: bench\r\naccept: application/json\r\n\r\n`)
      : await openStreams(daemon, new URL(target, origin), watchers, connections)
  const done = received(sockets, (events * frame * watchers) / sockets.length)
  const began = performance.now()
  // Some more, because an event may be a digit shorter than the measured one.
  const writer = await touchAll(daemon, round, events + 20)
  await done
  const rate = (events * watchers * 1000) / (performance.now() - began)
  for (const socket of [...sockets, writer]) socket.destroy()
  return { rate, frame }
}

/** The same bytes, written as chunks to as many open responses of a bare listener. */
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
