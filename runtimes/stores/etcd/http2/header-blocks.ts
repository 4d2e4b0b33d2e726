import { ConnectionError, errorCodes, protocolError } from './errors.ts'
import { flags, frameHeaderLength, unpadded } from './frames.ts'

/** Bytes of a block with the frames that it comes in. */
const largestBlock = 64 * 1024

/** `ends`: nothing follows on the stream. */
export type BlockHandler = (id: number, ends: boolean, block: Buffer) => void

interface Begun {
  readonly id: number
  readonly ends: boolean
  readonly fragments: Buffer[]
  size: number
}

/** Puts header blocks together: HEADERS, and CONTINUATION for what does not fit (RFC 9113, sections 4.3 and 6.10). */
export class HeaderBlocks {
  readonly #handler: BlockHandler
  #begun: Begun | undefined

  constructor(handler: BlockHandler) {
    this.#handler = handler
  }

  /** Until it is whole no other frame may come. */
  get incomplete(): boolean {
    return this.#begun !== undefined
  }

  /** A HEADERS frame. */
  begin(frameFlags: number, id: number, payload: Buffer): void {
    const fragment = unpadded(frameFlags, payload)
    const ends = (frameFlags & flags.endStream) !== 0
    if (frameFlags & flags.endHeaders) this.#handler(id, ends, fragment)
    else this.#begun = { id, ends, fragments: [fragment], size: payload.length }
  }

  /** A CONTINUATION frame. */
  continue(frameFlags: number, id: number, payload: Buffer): void {
    const begun = this.#begun
    if (begun?.id !== id) throw protocolError('a header block goes on that was not begun')
    // Also empty frames come to an end.
    begun.size += frameHeaderLength + payload.length
    if (begun.size > largestBlock) throw new ConnectionError(errorCodes.enhanceYourCalm, `headers have more than ${largestBlock} bytes`)
    begun.fragments.push(payload)
    if ((frameFlags & flags.endHeaders) === 0) return
    this.#begun = undefined
    this.#handler(id, begun.ends, Buffer.concat(begun.fragments))
  }
}
