/**
 * Reads the files of the engine that earlier versions kept their store in: lmdb as in lmdb-js 3, with pages and numbers of a 64-bit
 * little-endian host (mdb.c: MDB_page, MDB_meta, MDB_db, MDB_node). Tables of named databases, values in overflow pages.
 */
import type { LogFile } from '../log/files.ts'

const pageHeader = 24
const flagsAt = 18
const lowerAt = 20
const branchPage = 1
const leafPage = 2
const overflowPage = 4
const nodeHeader = 8
const bigData = 1
const subDatabase = 2
/** Offsets in a meta page: magic, page size, descriptor of the main table, transaction id. */
const meta = { magic: 0xbeefc0de, magicAt: 24, pageSizeAt: 48, mainAt: 96, transactionAt: 152 } as const
/** Offset in a table's descriptor. */
const rootAt = 40
const noPage = 0xffffffffffffffffn
const smallestPage = 512
const largestPage = 65536
/** Maximum depth; no tree of 2^48 pages is deeper. */
const deepest = 48

export interface OldRecord {
  readonly key: Buffer
  readonly value: Buffer
}

export class OldFile {
  readonly #file: LogFile
  readonly #size: number
  readonly #pageSize: number
  readonly #tables: ReadonlyMap<string, bigint>

  /** @throws Error when the file is not of this engine. */
  constructor(file: LogFile) {
    this.#file = file
    this.#size = file.size()
    const first = this.#bytes(0, 4096)
    this.#pageSize = first.readUInt32LE(meta.pageSizeAt)
    if (first.readUInt32LE(meta.magicAt) !== meta.magic || this.#pageSize < smallestPage || this.#pageSize > largestPage)
      throw new Error('the first page is damaged')
    const [newest] = [0, 1]
      .map((number) => this.#page(BigInt(number)))
      .filter((page) => page.readUInt32LE(meta.magicAt) === meta.magic)
      .toSorted((a, b) => Number(b.readBigUInt64LE(meta.transactionAt) - a.readBigUInt64LE(meta.transactionAt)))
    const main = newest!.readBigUInt64LE(meta.mainAt + rootAt)
    this.#tables = new Map([...this.#walk(main, subDatabase)].map(({ key, value }) => [nameOf(key), value.readBigUInt64LE(rootAt)]))
  }

  /** All records of a table in key order; none when the table does not exist. @throws Error for damage. */
  *records(table: string): Generator<OldRecord> {
    yield* this.#walk(this.#tables.get(table) ?? noPage, 0)
  }

  *#walk(number: bigint, kind: number, depth = 0): Generator<OldRecord> {
    if (number === noPage) return
    const page = this.#page(number)
    const flags = page.readUInt16LE(flagsAt)
    if (page.readBigUInt64LE(0) !== number || depth > deepest) throw new Error(`page ${number} is damaged`)
    for (let index = 0; index < page.readUInt16LE(lowerAt) >> 1; index++) {
      const node = page.subarray(pageHeader + page.readUInt16LE(pageHeader + 2 * index))
      if (flags & branchPage) yield* this.#walk(childOf(node), kind, depth + 1)
      else if (flags & leafPage) yield this.#record(node, kind, number)
      else throw new Error(`page ${number} is damaged`)
    }
  }

  #record(node: Buffer, kind: number, page: bigint): OldRecord {
    const size = node.readUInt32LE(0)
    const flags = node.readUInt16LE(4)
    const valueAt = nodeHeader + node.readUInt16LE(6)
    if ((flags & subDatabase) !== kind) throw new Error(`page ${page} is damaged`)
    const key = node.subarray(nodeHeader, valueAt)
    return { key, value: flags & bigData ? this.#overflow(node.readBigUInt64LE(valueAt), size) : node.subarray(valueAt, valueAt + size) }
  }

  #overflow(number: bigint, size: number): Buffer {
    const page = this.#page(number)
    if ((page.readUInt16LE(flagsAt) & overflowPage) === 0) throw new Error(`page ${number} is damaged`)
    return this.#bytes(Number(number) * this.#pageSize + pageHeader, size)
  }

  #page(number: bigint): Buffer {
    return this.#bytes(Number(number) * this.#pageSize, this.#pageSize)
  }

  #bytes(offset: number, length: number): Buffer {
    if (offset + length > this.#size) throw new Error('the file is truncated')
    const bytes = Buffer.allocUnsafe(length)
    this.#file.read(bytes, offset)
    return bytes
  }
}

/** Names of tables end with a zero byte. */
const nameOf = (key: Buffer) => key.toString('utf8', 0, key.length - 1)
const childOf = (node: Buffer) => BigInt(node.readUInt32LE(0)) + (BigInt(node.readUInt16LE(4)) << 32n)
