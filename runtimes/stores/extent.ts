import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'

// The layout of lmdb's two meta pages (MDB_meta of mdb.c, data version of lmdb-js 3): after a page header of 24 bytes come magic,
// version, address, map size, two table descriptions of 48 bytes, the last page's number and the transaction's number.
const pageSize = 4096
const magicAt = 24
const lastPageAt = 144
const transactionAt = 152
const magic = 0xbeefc0de

/**
 * Makes a data file as long as its own header says, with zeros. lmdb maps the file, and reading a mapped page behind the end kills the
 * process; a zero page reads as damage instead. Returns false when the file is too short to hold its header.
 */
export function restoreExtent(file: string): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return true
  if (size < 2 * pageSize) return false
  const needed = lengthOf(file)
  if (needed > size) append(file, needed - size)
  return true
}

function lengthOf(file: string): number {
  const header = Buffer.alloc(2 * pageSize)
  const descriptor = openSync(file, 'r')
  readSync(descriptor, header)
  closeSync(descriptor)
  const metas = [header.subarray(0, pageSize), header.subarray(pageSize)].filter((page) => page.readUInt32LE(magicAt) === magic)
  const newest = metas.toSorted((a, b) => Number(b.readBigUInt64LE(transactionAt) - a.readBigUInt64LE(transactionAt)))[0]
  return newest ? (Number(newest.readBigUInt64LE(lastPageAt)) + 1) * pageSize : 0
}

/** Appends, because that can neither cut nor overwrite what another process, the owner perhaps, writes meanwhile. */
function append(file: string, length: number): void {
  const zeros = Buffer.alloc(Math.min(length, 1024 * 1024))
  const descriptor = openSync(file, 'a')
  for (let left = length; left > 0; left -= zeros.byteLength) writeSync(descriptor, zeros, 0, Math.min(left, zeros.byteLength))
  closeSync(descriptor)
}
