/** Writes a file of bbolt with buckets of sorted keys: as it is after a compaction, without free pages. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  bucketBytes,
  bucketFlag,
  elementBytes,
  encodeMeta,
  maxElements,
  pageBytes,
  pageFlags,
  pageHeader,
  writePageHeader,
} from './pages.ts'

export interface Entry {
  readonly key: Buffer
  readonly value: Uint8Array
}

export interface Bucket {
  readonly name: string
  /** In ascending order of different keys. */
  readonly entries: Iterable<Entry>
}

/** The first key of a page. */
interface Child {
  readonly key: Buffer
  readonly id: number
}

interface Element extends Entry {
  /** Flags, of a leaf; page, of a branch. */
  readonly number: number
}

/** Page that lists free pages, and the first one after it. */
const [freelist, firstPage] = [2, 3]
/** Bytes that are written before other work runs. */
const slice = 1024 * 1024

/** The pages of a file, in order. */
export async function bboltPages(buckets: readonly Bucket[]): Promise<readonly Buffer[]> {
  const tree = new Tree()
  const roots: Element[] = []
  for (const { name, entries } of buckets.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const value = Buffer.alloc(bucketBytes)
    value.writeBigUInt64LE(BigInt(await tree.add(entries, 0)), 0)
    roots.push({ key: Buffer.from(name), value, number: bucketFlag })
  }
  const root = tree.page(pageFlags.leaf, roots)
  const free = Buffer.alloc(pageBytes)
  writePageHeader(free, { id: freelist, flags: pageFlags.freelist, count: 0, overflow: 0 })
  const metas = [0, 1].map((id) => encodeMeta(id, { root, freelist, pages: tree.next, transaction: id }))
  return [...metas, free, ...tree.pages]
}

class Tree {
  readonly pages: Buffer[] = []
  /** Id of the next page. */
  next = firstPage

  /** Adds a bucket; resolves to its root. */
  async add(entries: Iterable<Entry>, number: number): Promise<number> {
    let written = 0
    const leaves: Child[] = []
    for (const elements of chunks(elementsOf(entries, number))) {
      leaves.push(this.#child(pageFlags.leaf, elements))
      written += this.pages.at(-1)?.length ?? 0
      if (written < slice) continue
      written = 0
      await nextTurn()
    }
    if (leaves.length === 0) return this.page(pageFlags.leaf, [])
    let level = leaves
    while (level.length > 1) {
      const parents: Child[] = []
      for (const elements of chunks(branchesOf(level))) parents.push(this.#child(pageFlags.branch, elements))
      level = parents
    }
    return level[0]?.id ?? 0
  }

  #child(flags: number, elements: readonly Element[]): Child {
    return { key: elements[0]?.key ?? Buffer.alloc(0), id: this.page(flags, elements) }
  }

  /** Adds a page, of several pages' size when its elements need it. */
  page(flags: number, elements: readonly Element[]): number {
    const size = elements.reduce((sum, element) => sum + sizeOf(element), pageHeader)
    const count = Math.ceil(size / pageBytes)
    const page = Buffer.alloc(count * pageBytes)
    const id = this.next
    writePageHeader(page, { id, flags, count: elements.length, overflow: count - 1 })
    let at = pageHeader + elements.length * elementBytes
    elements.forEach(({ key, value, number }, index) => {
      const start = pageHeader + index * elementBytes
      if (flags === pageFlags.leaf) {
        page.writeUInt32LE(number, start)
        page.writeUInt32LE(at - start, start + 4)
        page.writeUInt32LE(key.length, start + 8)
        page.writeUInt32LE(value.length, start + 12)
      } else {
        page.writeUInt32LE(at - start, start)
        page.writeUInt32LE(key.length, start + 4)
        page.writeBigUInt64LE(BigInt(number), start + 8)
      }
      page.set(key, at)
      page.set(value, at + key.length)
      at += key.length + value.length
    })
    this.pages.push(page)
    this.next += count
    return id
  }
}

const sizeOf = ({ key, value }: Element) => elementBytes + key.length + value.length
const nothing = new Uint8Array(0)

function* elementsOf(entries: Iterable<Entry>, number: number): Generator<Element> {
  for (const { key, value } of entries) yield { key, value, number }
}

function* branchesOf(children: readonly Child[]): Generator<Element> {
  for (const { key, id } of children) yield { key, value: nothing, number: id }
}

/** Elements that fit into one page; a large one has its own. */
function* chunks(elements: Iterable<Element>): Generator<readonly Element[]> {
  let chunk: Element[] = []
  let size = pageHeader
  for (const element of elements) {
    if (chunk.length > 0 && (size + sizeOf(element) > pageBytes || chunk.length === maxElements)) {
      yield chunk
      chunk = []
      size = pageHeader
    }
    chunk.push(element)
    size += sizeOf(element)
  }
  if (chunk.length > 0) yield chunk
}
