/**
 * Limits of Node, measured in a separate process: `bare` is a TLS listener of `node:http2` that answers every request
 * with the same bytes; `lean` reads and writes frames itself, without decoding headers or flow control.
 */
import { fork } from 'node:child_process'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { issue, issueAuthority, newKey } from '../../runtimes/node/pki/issue.ts'

/** Origins of the listeners. `many` responds with the size of a list of 1,000 objects. */
export interface Limits {
  readonly bare: string
  readonly leanMany: string
  stop(): void
}

const objects = 1_000
const frameSize = 16_384
const headerLength = 9

export function startLimits(): Promise<Limits> {
  const child = fork(fileURLToPath(import.meta.url), ['--limits-worker'], { execArgv: ['--import', 'tsx'] })
  return new Promise((resolve, reject) => {
    child.once('message', (ports: { bare: number; leanMany: number }) => {
      const origin = (port: number) => `https://127.0.0.1:${port}`
      resolve({ bare: origin(ports.bare), leanMany: origin(ports.leanMany), stop: () => child.kill() })
    })
    child.once('exit', () => reject(new Error('the bare listeners ended')))
  })
}

function frame(type: number, flags: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(headerLength + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.set(payload, headerLength)
  return bytes
}

/** The frames of one response: literals with names of HPACK's static table, then DATA. `ids`: offsets of the stream identifiers. */
function framesOf(body: Buffer): { readonly bytes: Buffer; readonly ids: readonly number[] } {
  const literal =
    (...name: number[]) =>
    (value: string) =>
      Buffer.concat([Buffer.of(...name, value.length), Buffer.from(value)])
  const head = [Buffer.of(0x88), literal(0x0f, 16)('application/json'), literal(0x0f, 13)(String(body.length))]
  const frames = [frame(1, 4, Buffer.concat(head))]
  for (let at = 0; at < body.length; at += frameSize)
    frames.push(frame(0, at + frameSize >= body.length ? 1 : 0, body.subarray(at, at + frameSize)))
  let place = 0
  const ids = frames.map(({ length }) => {
    place += length
    return place - length + 5
  })
  return { bytes: Buffer.concat(frames), ids }
}

/** Calls back with type, flags and stream of every frame, however the bytes are split. */
function frameReader(each: (type: number, flags: number, stream: number) => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let preface = 24
  return (data) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, data]) : data
    let at = 0
    if (preface > 0 && bytes.length >= preface) {
      at = preface
      preface = 0
    }
    while (preface === 0 && bytes.length - at >= headerLength) {
      const length = bytes.readUIntBE(at, 3)
      if (bytes.length - at - headerLength < length) break
      each(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, bytes.readUInt32BE(at + 5) & 0x7fffffff)
      at += headerLength + length
    }
    rest = bytes.subarray(at)
  }
}

function serveLean(socket: TLSSocket, body: Buffer): void {
  const { bytes, ids } = framesOf(body)
  let waiting: Buffer[] = []
  const push = (more: Buffer) => {
    if (waiting.length === 0)
      setImmediate(() => {
        socket.write(waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting))
        waiting = []
      })
    waiting.push(more)
  }
  const answer = (stream: number) => {
    const own = Buffer.from(bytes)
    for (const id of ids) own.writeUInt32BE(stream, id)
    push(own)
  }
  socket.on('error', () => socket.destroy())
  socket.write(frame(4, 0, new Uint8Array()))
  socket.on(
    'data',
    frameReader((type, flags, stream) => {
      if (type === 4 && (flags & 1) === 0) push(frame(4, 1, new Uint8Array()))
      if (type === 1 && (flags & 1) === 1) answer(stream)
    }),
  )
}

if (process.argv.includes('--limits-worker')) {
  const authority = issueAuthority('bench-ca', newKey(), Date.now())
  const { certPem: cert, keyPem: key } = issue(authority, { commonName: 'localhost', names: ['localhost', '127.0.0.1'] }, Date.now())
  const one = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { text: 'x'.repeat(960) } }))
  const many = Buffer.alloc(one.length * objects, one)
  const bare = createSecureServer({ cert, key }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': one.length }).end(one)
  })
  const lean = createServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => serveLean(socket, many))
  const listening = [bare, lean].map(
    (server) => new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))),
  )
  const [barePort, leanPort] = await Promise.all(listening)
  process.send?.({ bare: barePort, leanMany: leanPort })
}
