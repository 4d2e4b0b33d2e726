/** WebSockets of the suite: the answer to the handshake, then every message, and the code of the close frame. */
import type { Duplex } from 'node:stream'
import { readMessages } from '../support/watch-messages.ts'
import { opcodes, WebSocketPeer } from '../support/websocket.ts'

/** Of the handshake; always the same, so that `Sec-WebSocket-Accept` is. */
export const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  origin: 'https://dashboard.example.com',
}

/** The length before a field of a protobuf message, which is shorter than 128 bytes. */
const typeLength = (bytes: Buffer) => (bytes[0] === 0x0a ? (bytes[1] ?? 0) : 0)

/** Of a message in protobuf only the type of the event, and whether the object has its envelope: revisions and times are bytes in it. */
function binary(bytes: Buffer) {
  const length = typeLength(bytes)
  return { binary: true, type: bytes.toString('latin1', 2, 2 + length), envelope: bytes.includes('k8s\0') }
}

function text(bytes: Buffer) {
  const found = bytes.toString()
  try {
    return { text: true, newline: found.endsWith('\n'), event: JSON.parse(found) as unknown }
  } catch {
    return { text: true, newline: found.endsWith('\n'), event: found }
  }
}

const isBookmark = (line: string | undefined) => line?.includes('"type":"BOOKMARK"') === true && !line.includes('"annotations"')

/** Reads until the end: a line of JSON for each message, and one for the end. Timers decide how often a bookmark is repeated: it is kept once. */
export async function conversation(socket: Duplex): Promise<Buffer> {
  const reader = readMessages(new WebSocketPeer(socket, true))
  const lines: string[] = []
  for (let message = await reader.next(); message !== undefined; message = await reader.next()) {
    const line = JSON.stringify(message.opcode === opcodes.text ? text(message.bytes) : binary(message.bytes))
    if (!isBookmark(line) || !isBookmark(lines.at(-1))) lines.push(line)
  }
  lines.push(JSON.stringify({ close: (await reader.closed) ?? 'none' }))
  return Buffer.from(lines.map((line) => `${line}\n`).join(''))
}
