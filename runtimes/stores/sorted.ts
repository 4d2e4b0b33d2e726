/**
 * Text whose UTF-16 order (JavaScript's `<`) equals the UTF-8 byte order of `key`. The two orders differ only for code units from U+D800 on:
 * surrogates move behind the rest. Each unit maps to one unit, so prefixes stay prefixes.
 */
export function byteOrder(key: string): string {
  if (!/[\ud800-\uffff]/.test(key)) return key
  let ordered = ''
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    ordered += String.fromCharCode(unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
  }
  return ordered
}

const chunkSize = 512

/** Items sorted by `order`, in chunks: an insert moves at most one chunk, and scans run over plain arrays. */
export class SortedIndex<T extends { readonly order: string }> {
  readonly #chunks: T[][] = []

  /** Adds an item; no other has the same order text. */
  add(item: T): void {
    const at = this.#locate((order) => order < item.order)
    // Past the last item: insert into the last chunk.
    const chunk = this.#chunks[at.chunk] ?? this.#chunks.at(-1)
    if (!chunk) {
      this.#chunks.push([item])
      return
    }
    const last = at.chunk === this.#chunks.length
    if (last) chunk.push(item)
    else chunk.splice(at.index, 0, item)
    if (chunk.length > chunkSize) this.#chunks.splice(last ? at.chunk : at.chunk + 1, 0, chunk.splice(chunkSize >> 1))
  }

  remove(item: T): void {
    const at = this.#locate((order) => order < item.order)
    const chunk = this.#chunks[at.chunk]
    if (chunk?.[at.index] !== item) return
    chunk.splice(at.index, 1)
    if (chunk.length === 0) this.#chunks.splice(at.chunk, 1)
  }

  /** Visits the items under a prefix in order, starting at `from`, until `visit` returns false. Both texts are in byte order. */
  scan(prefix: string, from: string, visit: (item: T) => boolean): void {
    const start = from > prefix ? from : prefix
    const first = this.#locate((order) => order < start)
    const end = this.#locate((order) => order < start || order.startsWith(prefix))
    for (let c = first.chunk; c <= end.chunk; c++) {
      const chunk = this.#chunks[c] ?? []
      const stop = c === end.chunk ? end.index : chunk.length
      for (let i = c === first.chunk ? first.index : 0; i < stop; i++) if (!visit(chunk[i]!)) return
    }
  }

  /** Number of items under a prefix, from `from` on, without visiting them. */
  count(prefix: string, from = ''): number {
    const start = from > prefix ? from : prefix
    const first = this.#locate((order) => order < start)
    const end = this.#locate((order) => order < start || order.startsWith(prefix))
    let count = end.index - first.index
    for (let c = first.chunk; c < end.chunk; c++) count += this.#chunks[c]!.length
    return count
  }

  /** The first position whose item is not `before`; `before` holds for some items at the beginning and for none after. */
  #locate(before: (order: string) => boolean): { chunk: number; index: number } {
    const chunk = firstNot(this.#chunks.length, (i) => before(this.#chunks[i]!.at(-1)!.order))
    const items = this.#chunks[chunk]
    return { chunk, index: items ? firstNot(items.length, (i) => before(items[i]!.order)) : 0 }
  }
}

function firstNot(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}
