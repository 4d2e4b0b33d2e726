/** Reads buckets of a file of bbolt. The file is not trusted: what does not fit together is refused. */
import { bucketBytes, bucketFlag, decodeMeta, elementBytes, pageFlags, pageHeader, readPageHeader } from './pages.ts'

/** Reads bytes of a file; fewer at its end. */
export type ReadAt = (position: number, length: number) => Buffer

/** An element of a leaf. */
interface Read {
  readonly key: Buffer
  readonly value: Buffer
  readonly flags: number
}

/** Sizes of pages that bbolt has: those of the hosts that it runs on. */
const [minPage, maxPage] = [1024, 64 * 1024]

const damaged = () => new Error('is damaged or truncated')

/** The second description is on the second page, wherever that is. */
function secondMeta(read: ReadAt): ReturnType<typeof decodeMeta> {
  for (let size = minPage; size <= maxPage; size *= 2) {
    const meta = decodeMeta(read(size, minPage))
    if (meta?.pageBytes === size) return meta
  }
  return undefined
}

export class BboltReader {
  readonly #read: ReadAt
  readonly #pageBytes: number
  readonly #pages: number
  readonly #root: number
  /** Pages of the bucket that is read: none is in it twice. */
  readonly #seen = new Set<number>()

  /** @throws Error when the file is not one of bbolt. */
  constructor(read: ReadAt) {
    this.#read = read
    const found = [decodeMeta(read(0, minPage)), secondMeta(read)].filter((meta) => meta !== undefined)
    const [newest] = found.sort((a, b) => b.transaction - a.transaction)
    if (newest === undefined || newest.pageBytes < minPage || newest.pageBytes > maxPage) throw damaged()
    this.#pageBytes = newest.pageBytes
    this.#pages = newest.pages
    this.#root = newest.root
  }

  /** The entries of a bucket, in order; none when it does not exist. Keys and values are valid until the next one. */
  *bucket(name: string): Generator<Read> {
    this.#seen.clear()
    for (const { key, value, flags } of this.#elements(this.#page(this.#root))) {
      if ((flags & bucketFlag) === 0 || key.toString() !== name) continue
      if (value.length < bucketBytes) throw damaged()
      const root = Number(value.readBigUInt64LE(0))
      // A small bucket is in the value, as a page.
      yield* this.#elements(root === 0 ? value.subarray(bucketBytes) : this.#page(root))
      return
    }
  }

  *#elements(page: Buffer): Generator<Read> {
    if (page.length < pageHeader) throw damaged()
    const { flags, count } = readPageHeader(page)
    if (pageHeader + count * elementBytes > page.length) throw damaged()
    const bytes = (start: number, length: number) => {
      if (start + length > page.length) throw damaged()
      return page.subarray(start, start + length)
    }
    for (let index = 0; index < count; index++) {
      const at = pageHeader + index * elementBytes
      if (flags === pageFlags.branch) yield* this.#elements(this.#page(Number(page.readBigUInt64LE(at + 8))))
      else if (flags === pageFlags.leaf) {
        const start = at + page.readUInt32LE(at + 4)
        const length = page.readUInt32LE(at + 8)
        yield { key: bytes(start, length), value: bytes(start + length, page.readUInt32LE(at + 12)), flags: page.readUInt32LE(at) }
      } else throw damaged()
    }
  }

  #page(id: number): Buffer {
    if (!Number.isSafeInteger(id) || id < 2 || id >= this.#pages || this.#seen.has(id)) throw damaged()
    this.#seen.add(id)
    const first = this.#read(id * this.#pageBytes, this.#pageBytes)
    if (first.length < this.#pageBytes) throw damaged()
    const { id: own, overflow } = readPageHeader(first)
    if (own !== id || id + overflow >= this.#pages) throw damaged()
    if (overflow === 0) return first
    const page = this.#read(id * this.#pageBytes, (overflow + 1) * this.#pageBytes)
    if (page.length < (overflow + 1) * this.#pageBytes) throw damaged()
    return page
  }
}
