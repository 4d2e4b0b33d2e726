import { utf8Length } from '../schema/bytes.ts'

/** A text, or its bytes in UTF-8. */
export type Text = string | Uint8Array

const encoder = new TextEncoder()

/** Texts that become bytes together: encoding many at once costs much less than each by itself. */
export class JoinedText {
  readonly #parts: Text[] = []
  /** Texts that no bytes separate. */
  #open = ''
  #length = 0

  /** Characters and bytes so far. */
  get length(): number {
    return this.#length
  }

  add(part: Text): void {
    this.#length += part.length
    if (typeof part === 'string') {
      this.#open += part
      return
    }
    this.#parts.push(this.#open, part)
    this.#open = ''
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const parts = [...this.#parts, this.#open]
    // Nearly all texts are ASCII, of one byte per character.
    return written(parts, this.#length) ?? (written(parts, sizeOf(parts)) as Uint8Array<ArrayBuffer>)
  }
}

const sizeOf = (parts: readonly Text[]) => parts.reduce((sum, part) => sum + (typeof part === 'string' ? utf8Length(part) : part.length), 0)

/** The parts in `size` bytes; undefined: they need more. */
function written(parts: readonly Text[], size: number): Uint8Array<ArrayBuffer> | undefined {
  const all = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    if (typeof part === 'string') {
      const { read, written } = encoder.encodeInto(part, at === 0 ? all : all.subarray(at))
      if (read < part.length) return undefined
      at += written
    } else {
      if (at + part.length > size) return undefined
      all.set(part, at)
      at += part.length
    }
  }
  return all
}
