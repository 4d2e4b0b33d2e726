/** Frames of HTTP/2 (RFC 9113, sections 4 and 6). */
import { ConnectionError, errorCodes, frameSizeError, protocolError } from './errors.ts'

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

/** `ack` and `endStream` share a bit: the type of the frame tells them apart. */
export const flags = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const

/** The client connection preface (section 3.4). */
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
export const frameHeaderLength = 9
/** Maximum stream id and window size: 31 bits. */
export const largest31 = 2 ** 31 - 1
/** Default of SETTINGS_MAX_FRAME_SIZE; this implementation announces no other. */
export const defaultMaxFrameSize = 16_384
export const pingLength = 8
export const priorityLength = 5

/** Writes a frame header; returns the offset after it, where the payload must follow. */
export function writeFrameHeader(to: Uint8Array, at: number, length: number, type: number, flags: number, stream: number): number {
  to[at] = length >>> 16
  to[at + 1] = length >>> 8
  to[at + 2] = length
  to[at + 3] = type
  to[at + 4] = flags
  to[at + 5] = stream >>> 24
  to[at + 6] = stream >>> 16
  to[at + 7] = stream >>> 8
  to[at + 8] = stream
  return at + frameHeaderLength
}

/** A frame header. */
export function frameHeader(length: number, type: number, flags: number, stream: number): Buffer {
  const header = Buffer.allocUnsafe(frameHeaderLength)
  writeFrameHeader(header, 0, length, type, flags, stream)
  return header
}

/** A frame whose payload is a sequence of 32-bit numbers. */
export function numbersFrame(type: number, stream: number, ...numbers: readonly number[]): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderLength + 4 * numbers.length)
  writeFrameHeader(frame, 0, 4 * numbers.length, type, 0, stream)
  for (let i = 0; i < numbers.length; i++) frame.writeUInt32BE(numbers[i] as number, frameHeaderLength + 4 * i)
  return frame
}

/** `settings` are pairs of identifier and value (section 6.5.1). */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length)
  for (const [index, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, 6 * index)
    payload.writeUInt32BE(value, 6 * index + 2)
  }
  return Buffer.concat([frameHeader(payload.length, frameTypes.settings, 0, 0), payload])
}

/** Removes padding from the payload of a DATA frame. */
export function withoutPadding(frameFlags: number, payload: Buffer): Buffer {
  if ((frameFlags & flags.padded) === 0) return payload
  const padding = payload[0]
  if (padding === undefined) throw frameSizeError('a padded frame is empty')
  const end = payload.length - padding
  if (end < 1) throw protocolError('a frame has more padding than content')
  return payload.subarray(1, end)
}

/** Removes the deprecated priority fields from a HEADERS frame (section 5.3.2). */
export function withoutPriority(frameFlags: number, stream: number, content: Buffer): Buffer {
  if ((frameFlags & flags.priority) === 0) return content
  if (content.length < priorityLength) throw frameSizeError('a priority field is truncated')
  if ((content.readUInt32BE(0) & largest31) === stream) throw protocolError('a stream depends on itself')
  return content.subarray(priorityLength)
}

export type FrameHandler = (type: number, flags: number, stream: number, payload: Buffer) => void

/** Splits a byte stream into frames. */
export class FrameReader {
  readonly #handler: FrameHandler
  #rest: Buffer | undefined
  #count = 0

  constructor(handler: FrameHandler) {
    this.#handler = handler
  }

  /** True during an incomplete frame. */
  get partial(): boolean {
    return this.#rest !== undefined
  }

  /** Number of complete frames. */
  get count(): number {
    return this.#count
  }

  /**
   * Passes all complete frames to the handler.
   * @throws ConnectionError for a frame larger than the announced maximum; also rethrows errors of the handler.
   */
  take(received: Buffer): void {
    const bytes = this.#rest === undefined ? received : Buffer.concat([this.#rest, received])
    let at = 0
    while (bytes.length - at >= frameHeaderLength) {
      const length = bytes.readUIntBE(at, 3)
      if (length > defaultMaxFrameSize) throw new ConnectionError(errorCodes.frameSizeError, `a frame has ${length} bytes`)
      const start = at + frameHeaderLength
      const end = start + length
      if (end > bytes.length) break
      this.#handler(bytes[at + 3] as number, bytes[at + 4] as number, bytes.readUInt32BE(at + 5) & largest31, bytes.subarray(start, end))
      this.#count++
      at = end
    }
    // A copy: a part of a frame does not keep the chunk that it came in.
    this.#rest = at === bytes.length ? undefined : Buffer.from(bytes.subarray(at))
  }
}

/**
 * The 32-bit number that is the whole payload of a frame.
 * @throws ConnectionError when the payload has another length.
 */
export function onlyNumber(payload: Buffer): number {
  if (payload.length !== 4) throw frameSizeError(`a frame has ${payload.length} bytes instead of 4`)
  return payload.readUInt32BE(0)
}
