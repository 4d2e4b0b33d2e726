/**
 * The format of bbolt's files (go.etcd.io/bbolt: page.go, db.go, bucket.go): pages of one size, of which the first two describe the rest, and
 * trees of them with sorted keys. Numbers are little-endian.
 */

export const pageBytes = 4096
/** Header of a page: id, flags, number of elements, number of pages that follow it and belong to it. */
export const pageHeader = 16
export const pageFlags = { branch: 0x01, leaf: 0x02, meta: 0x04, freelist: 0x10 } as const
/** Of a leaf: flags, offset of the key from here, length of the key, length of the value. Of a branch: offset, length of the key, page. */
export const elementBytes = 16
/** An element of a leaf that is a bucket: its value is the page of its root, and a sequence number. */
export const bucketFlag = 0x01
export const bucketBytes = 16
export const maxElements = 0xffff

const magic = 0xed0cdaed
const version = 2
/** Bytes of a description before its checksum. */
const metaBytes = 56

export interface Meta {
  /** Page of the root bucket. */
  readonly root: number
  readonly freelist: number
  /** Number of pages. */
  readonly pages: number
  readonly transaction: number
}

export function encodeMeta(id: number, { root, freelist, pages, transaction }: Meta): Buffer {
  const page = Buffer.alloc(pageBytes)
  writePageHeader(page, { id, flags: pageFlags.meta, count: 0, overflow: 0 })
  const meta = page.subarray(pageHeader)
  meta.writeUInt32LE(magic, 0)
  meta.writeUInt32LE(version, 4)
  meta.writeUInt32LE(pageBytes, 8)
  for (const [at, value] of [
    [16, root],
    [32, freelist],
    [40, pages],
    [48, transaction],
  ] as const)
    meta.writeBigUInt64LE(BigInt(value), at)
  meta.writeBigUInt64LE(fnv(meta.subarray(0, metaBytes)), metaBytes)
  return page
}

/** The description in the first bytes of a file, at one of its two places; undefined: there is none, or it is damaged. */
export function decodeMeta(page: Buffer): (Meta & { readonly pageBytes: number }) | undefined {
  const meta = page.subarray(pageHeader, pageHeader + metaBytes + 8)
  if (meta.length < metaBytes + 8 || meta.readUInt32LE(0) !== magic || meta.readUInt32LE(4) !== version) return undefined
  if (meta.readBigUInt64LE(metaBytes) !== fnv(meta.subarray(0, metaBytes))) return undefined
  const number = (at: number) => Number(meta.readBigUInt64LE(at))
  return { pageBytes: meta.readUInt32LE(8), root: number(16), freelist: number(32), pages: number(40), transaction: number(48) }
}

/** FNV-1a of 64 bits. */
function fnv(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash
}

export interface PageHeader {
  readonly id: number
  readonly flags: number
  readonly count: number
  readonly overflow: number
}

export function writePageHeader(page: Buffer, { id, flags, count, overflow }: PageHeader): void {
  page.writeBigUInt64LE(BigInt(id), 0)
  page.writeUInt16LE(flags, 8)
  page.writeUInt16LE(count, 10)
  page.writeUInt32LE(overflow, 12)
}

export const readPageHeader = (page: Buffer): PageHeader => ({
  id: Number(page.readBigUInt64LE(0)),
  flags: page.readUInt16LE(8),
  count: page.readUInt16LE(10),
  overflow: page.readUInt32LE(12),
})
