/** Frames on a Unix socket: the length of what follows (five bytes, as messages of gRPC have it), kind, number of the call, content. */
import type { Outbox } from '../outbox.ts'

export const kinds = {
  /** The first frame of both sides: the key of a ticket, and its proof. */
  hello: 0,
  /** To the server: a call with one message and one answer. Length and text of the path, message. */
  call: 1,
  /** To the server: as `call`; its messages come until it ends. */
  stream: 2,
  /** To the server: the client gives the call up. */
  cancel: 3,
  /** To the client: a message, which is the end of a `call`. */
  message: 4,
  /** To the client: the call has failed. Code of gRPC, text. */
  failed: 5,
  /** To the server, which sends it back. */
  ping: 6,
} as const

const prefixLength = 5
const headLength = 5
/** Bytes of a frame beside its content. */
const overhead = prefixLength + headLength

/** Writes a frame whose content is in these parts. */
export function writeFrame(outbox: Outbox, kind: number, call: number, ...parts: readonly Uint8Array[]): void {
  let length = 0
  for (const part of parts) length += part.length
  const buffer = outbox.reserve(overhead + length)
  let at = outbox.place
  buffer[at] = 0
  buffer.writeUInt32BE(headLength + length, at + 1)
  buffer[at + prefixLength] = kind
  buffer.writeUInt32BE(call, at + prefixLength + 1)
  at += overhead
  for (const part of parts) {
    buffer.set(part, at)
    at += part.length
  }
  outbox.grew(overhead + length)
}

export interface Frame {
  readonly kind: number
  readonly call: number
  /** A view. */
  readonly content: Buffer
}

/** Undefined: it is malformed. */
export const readFrame = (bytes: Buffer): Frame | undefined =>
  bytes.length < headLength ? undefined : { kind: bytes[0] ?? 0, call: bytes.readUInt32BE(1), content: bytes.subarray(headLength) }

/** Maximum length of a path. */
const maxPath = 255

/** The beginning of the content of a call. */
export function writePath(path: string): Uint8Array {
  const text = Buffer.from(path, 'latin1').subarray(0, maxPath)
  return Buffer.concat([Buffer.from([text.length]), text])
}

/** Path and message of a call; undefined: it is malformed. */
export function readCall(content: Buffer): { readonly path: string; readonly message: Buffer } | undefined {
  const end = 1 + (content[0] ?? 0)
  if (content.length < end) return undefined
  return { path: content.toString('latin1', 1, end), message: content.subarray(end) }
}

/** Content of a failure. */
export const writeFailure = (code: number, text: string): Uint8Array => Buffer.concat([Buffer.from([code]), Buffer.from(text)])

export const readFailure = (content: Buffer) => ({ code: content[0] ?? 0, text: content.toString('utf8', 1) })
