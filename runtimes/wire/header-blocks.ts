import { calmError, protocolError } from './errors.ts'
import { flags, frameHeaderLength, withoutPadding, withoutPriority } from './frames.ts'

/** Minimum bytes to count per CONTINUATION frame: only the last one of a block has a reason to be small. */
const smallestFragment = 1_024

/** `ends`: END_STREAM was set. */
export type BlockHandler = (id: number, ends: boolean, block: Buffer) => void

interface Begun {
  readonly id: number
  readonly ends: boolean
  readonly fragments: Buffer[]
  size: number
}

/** Assembles header blocks from HEADERS and CONTINUATION (RFC 9113, sections 4.3 and 6.10). */
export class HeaderBlocks {
  readonly #maxBytes: number
  readonly #handler: BlockHandler
  readonly #held: (bytes: number) => void
  #begun: Begun | undefined
  /** Number of blocks that came in several frames. */
  #count = 0

  /** `maxBytes`: maximum bytes of a block with its frame headers. `held`: called with the bytes that an incomplete block takes more, or less. */
  constructor(maxBytes: number, handler: BlockHandler, held: (bytes: number) => void = () => {}) {
    this.#maxBytes = maxBytes
    this.#handler = handler
    this.#held = held
  }

  /** True during a block: no other frame is permitted. */
  get incomplete(): boolean {
    return this.#begun !== undefined
  }

  /** Number of the incomplete block. */
  get number(): number {
    return this.#count
  }

  /** A HEADERS frame. */
  begin(frameFlags: number, id: number, payload: Buffer): void {
    const fragment = withoutPriority(frameFlags, id, withoutPadding(frameFlags, payload))
    const ends = (frameFlags & flags.endStream) !== 0
    if (frameFlags & flags.endHeaders) this.#handler(id, ends, fragment)
    else {
      this.#count++
      this.#begun = { id, ends, fragments: [fragment], size: payload.length }
      this.#held(payload.length)
    }
  }

  /** A CONTINUATION frame. */
  continue(frameFlags: number, id: number, payload: Buffer): void {
    const begun = this.#begun
    if (begun?.id !== id) throw protocolError('CONTINUATION without HEADERS')
    // Empty and tiny frames count too: otherwise a block might never end (CVE-2024-27316).
    const size = Math.max(smallestFragment, frameHeaderLength + payload.length)
    begun.size += size
    if (begun.size > this.#maxBytes) throw calmError(`headers have more than ${this.#maxBytes} bytes`)
    begun.fragments.push(payload)
    this.#held(size)
    if ((frameFlags & flags.endHeaders) === 0) return
    this.#held(-begun.size)
    this.#begun = undefined
    this.#handler(id, begun.ends, Buffer.concat(begun.fragments))
  }
}
