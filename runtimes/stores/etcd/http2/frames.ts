/** Frames of HTTP/2 (RFC 9113, sections 4 and 6). */
import { ConnectionError, errorCodes, protocolError } from './errors.ts'

export const frameTypes = {
  data: 0,
  headers: 1,
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

export const frameHeaderLength = 9
/** The largest id of a stream, and the largest window: what 31 bits hold. */
export const largest31 = 2 ** 31 - 1
/** What SETTINGS_MAX_FRAME_SIZE is unless it is announced otherwise; it is not. */
export const defaultMaxFrameSize = 16_384

/** A frame up to its payload, which has to follow. */
export function frameHeader(length: number, type: number, flags: number, stream: number): Buffer {
  const header = Buffer.allocUnsafe(frameHeaderLength)
  header.writeUIntBE(length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(stream, 5)
  return header
}

/** A frame whose payload is numbers of four bytes. */
export function numbersFrame(type: number, stream: number, ...numbers: readonly number[]): Buffer {
  const frame = Buffer.alloc(frameHeaderLength + 4 * numbers.length)
  frameHeader(4 * numbers.length, type, 0, stream).copy(frame)
  for (const [index, number] of numbers.entries()) frame.writeUInt32BE(number, frameHeaderLength + 4 * index)
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

/** What a sender may have put around the content of DATA and HEADERS: padding, and a priority, which nobody uses any more. */
export function unpadded(frameFlags: number, payload: Buffer): Buffer {
  if ((frameFlags & (flags.padded | flags.priority)) === 0) return payload
  const padded = (frameFlags & flags.padded) !== 0
  const start = (padded ? 1 : 0) + ((frameFlags & flags.priority) !== 0 ? 5 : 0)
  const end = payload.length - (padded ? (payload[0] ?? 0) : 0)
  if (end < start) throw protocolError('a frame has more padding than content')
  return payload.subarray(start, end)
}

export type FrameHandler = (type: number, flags: number, stream: number, payload: Buffer) => void

/** Cuts what comes into frames, however it was cut before. */
export class FrameReader {
  readonly #handler: FrameHandler
  #rest: Buffer | undefined

  constructor(handler: FrameHandler) {
    this.#handler = handler
  }

  /**
   * Hands out the frames that are whole now.
   * @throws ConnectionError for one that is larger than was announced, and what the handler throws.
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
      this.#handler(bytes.readUInt8(at + 3), bytes.readUInt8(at + 4), bytes.readUInt32BE(at + 5) & largest31, bytes.subarray(start, end))
      at = end
    }
    this.#rest = at === bytes.length ? undefined : bytes.subarray(at)
  }
}

/**
 * The number that is all of a payload.
 * @throws ConnectionError when it is not.
 */
export function onlyNumber(payload: Buffer): number {
  if (payload.length !== 4) throw new ConnectionError(errorCodes.frameSizeError, `a frame has ${payload.length} bytes instead of 4`)
  return payload.readUInt32BE(0)
}
