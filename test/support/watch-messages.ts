/** Watches over WebSockets, message by message. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { within } from './wait.ts'
import type { WatchEvent } from './watch-reader.ts'
import { type Dialled, dialWebSocket, opcodes, WebSocketPeer, type WebSocketPlace } from './websocket.ts'

export interface Message {
  readonly bytes: Buffer
  readonly opcode: number
}

export interface MessageReader {
  readonly peer: WebSocketPeer
  /** The next message; undefined at the end. */
  next(): Promise<Message | undefined>
  /** The next message as an event in JSON. */
  event(): Promise<WatchEvent>
  /** All events until the end. */
  rest(): Promise<WatchEvent[]>
  /** Resolves when the connection has ended, to the code of the server's close frame. */
  readonly closed: Promise<number | undefined>
}

export function readMessages(peer: WebSocketPeer): MessageReader {
  const ready: Message[] = []
  let told = () => {}
  peer.message = (bytes, opcode) => {
    ready.push({ bytes, opcode })
    told()
  }
  let ended = false
  const closed = peer
    .serve()
    .catch(() => undefined)
    .then(() => {
      ended = true
      told()
      return peer.closeCode
    })
  const next = async () => {
    while (ready.length === 0 && !ended)
      await within(
        'a message',
        new Promise<void>((resolve) => {
          told = resolve
        }),
      )
    return ready.shift()
  }
  const read = ({ bytes, opcode }: Message): WatchEvent => {
    assert.equal(opcode, opcodes.text)
    assert.equal(bytes.at(-1), 0x0a, 'each message ends like a line')
    return JSON.parse(bytes.toString())
  }
  return {
    peer,
    next,
    async event() {
      const message = await next()
      assert(message, 'the watch has ended')
      return read(message)
    },
    async rest() {
      const events: WatchEvent[] = []
      for (let message = await next(); message !== undefined; message = await next()) events.push(read(message))
      return events
    },
    closed,
  }
}

const origin = 'https://dashboard.example.com'

/** Opens a watch; the path has its query. */
export async function watchMessages(
  place: WebSocketPlace,
  path: string,
  protocols: readonly string[] = [],
  more = {},
): Promise<MessageReader> {
  const answer: Dialled = await within(path, dialWebSocket(place, path, protocols, { origin, ...more }))
  assert(answer.peer, `${answer.status} ${answer.text}`)
  return readMessages(answer.peer)
}

/** The same over HTTP/2 (RFC 8441). */
export async function watchMessagesOverHttp2(session: ClientHttp2Session, path: string, more = {}): Promise<MessageReader> {
  if (!session.remoteSettings.enableConnectProtocol) await within('the settings', once(session, 'remoteSettings'))
  const pseudo = { ':method': 'CONNECT', ':protocol': 'websocket', ':path': path, ':scheme': 'https', ':authority': 'x' }
  const stream = session.request({ ...pseudo, 'sec-websocket-version': '13', origin, ...more })
  const [head] = (await within(path, once(stream, 'response'))) as [{ ':status': number }]
  assert.equal(head[':status'], 200)
  return readMessages(new WebSocketPeer(stream, true))
}
