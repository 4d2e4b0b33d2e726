/** Texts of so many bytes are kept: shorter ones are not worth the look. */
const [minLength, maxLength] = [16, 2 * 1024]
/** Values of a field that are kept: items of a list take turns. */
const ways = 4
/** Maximum bytes in total. */
const maxBytes = 1024 * 1024
/** A field with so many new values in a row is looked at again only at each so many. */
const [maxChanges, rest] = [16, 256]

const nothing = new Uint8Array(0)

const viewOf = ({ buffer }: Uint8Array<ArrayBuffer>) => new DataView(buffer)
const bytesOf = ({ buffer }: DataView<ArrayBuffer>) => new Uint8Array(buffer)

/** A text, and what was written for it. Both buffers may be longer than that. */
class Repeated {
  text = new DataView(nothing.buffer)
  size = 0
  written: Uint8Array<ArrayBuffer> = nothing
  writtenSize = 0
}

interface Recent {
  readonly values: readonly Repeated[]
  /** The value that is replaced next. */
  next: number
  /** New values since one was the same. */
  changes: number
}

/**
 * The latest values of each field, with what was written for them: objects that come from one template have most parts in common, and to compare a
 * text takes a tenth of the time of encoding it.
 */
export class RepeatedValues {
  /** By field. */
  readonly #recent = new Map<object, Recent>()
  #kept = 0

  /** A latest value of a field whose text is the one at this position, which is an object or list: its end can't be elsewhere. */
  find(field: object, json: DataView, at: number): Repeated | undefined {
    const recent = this.#recent.get(field)
    if (recent === undefined || recent.changes > maxChanges) return undefined
    for (const value of recent.values) {
      if (!isAt(value, json, at)) continue
      recent.changes = 0
      return value
    }
    return undefined
  }

  /** Keeps a value that `find` did not find: its text from `start` to `end`, and what was written for it. */
  keep(field: object, json: Uint8Array, start: number, end: number, out: Uint8Array, from: number, to: number): void {
    const [size, writtenSize] = [end - start, to - from]
    if (size < minLength || size > maxLength || writtenSize > maxLength) return
    const recent = this.#recentOf(field)
    if (++recent.changes > maxChanges) {
      if (recent.changes > rest) recent.changes = maxChanges - ways
      return
    }
    const value = recent.values[recent.next] as Repeated
    recent.next = (recent.next + 1) % ways
    value.text = viewOf(this.#copied(bytesOf(value.text), json, start, size))
    value.written = this.#copied(value.written, out, from, writtenSize)
    const fits = value.text.byteLength >= size && value.written.length >= writtenSize
    value.size = fits ? size : 0
    value.writtenSize = writtenSize
  }

  #recentOf(field: object): Recent {
    const known = this.#recent.get(field)
    if (known) return known
    const made = { values: Array.from({ length: ways }, () => new Repeated()), next: 0, changes: 0 }
    this.#recent.set(field, made)
    return made
  }

  /** The same buffer if a longer one exceeds the budget. */
  #copied(buffer: Uint8Array<ArrayBuffer>, from: Uint8Array, start: number, size: number): Uint8Array<ArrayBuffer> {
    let copy = buffer
    if (size > buffer.length) {
      const more = size - buffer.length
      if (this.#kept + more > maxBytes) return buffer
      this.#kept += more
      copy = new Uint8Array(size)
    }
    copy.set(from.subarray(start, start + size))
    return copy
  }
}

/** Four bytes at a time, which takes a third of the time. */
function isAt({ text, size }: Repeated, json: DataView, at: number): boolean {
  if (size === 0 || at + size > json.byteLength) return false
  const last = size - 4
  for (let index = 0; index < last; index += 4) if (text.getInt32(index) !== json.getInt32(at + index)) return false
  return text.getInt32(last) === json.getInt32(at + last)
}
