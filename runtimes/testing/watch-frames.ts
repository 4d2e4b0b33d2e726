/** The events of a watch's body, as bytes: lines of JSON, or messages of protobuf behind their lengths. */
import { concatenate } from '../../core/schema/bytes.ts'

const lineFeed = 0x0a
const lengthBytes = 4

function endOfLine(bytes: Uint8Array, start: number): number | undefined {
  const at = bytes.indexOf(lineFeed, start)
  return at < 0 ? undefined : at + 1
}

function endOfMessage(bytes: Uint8Array, start: number): number | undefined {
  if (bytes.length < start + lengthBytes) return undefined
  const end = start + lengthBytes + new DataView(bytes.buffer, bytes.byteOffset + start).getUint32(0)
  return end > bytes.length ? undefined : end
}

const endOfAll = ({ length }: Uint8Array, start: number) => (start < length ? length : undefined)

/** Splits bytes as they arrive into frames. */
export class FrameReader {
  readonly #endOf: (bytes: Uint8Array, start: number) => number | undefined
  #rest: Uint8Array<ArrayBuffer> = new Uint8Array(0)

  constructor(contentType: string) {
    // A sequence of CBOR arrives in whole events.
    this.#endOf = contentType.includes('json') ? endOfLine : contentType.includes('protobuf') ? endOfMessage : endOfAll
  }

  /** The frames that are complete with these bytes. */
  push(bytes: Uint8Array): Uint8Array<ArrayBuffer>[] {
    const all = concatenate([this.#rest, bytes])
    const frames: Uint8Array<ArrayBuffer>[] = []
    let start = 0
    for (let end = this.#endOf(all, start); end !== undefined; end = this.#endOf(all, start)) {
      frames.push(all.slice(start, end))
      start = end
    }
    this.#rest = all.slice(start)
    return frames
  }
}
