/** Bases: the state at one revision, in a file of the log's format. Segments continue from it. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { append } from '../../../core/common/lists.ts'
import { joined, sealBatch } from './batch.ts'
import type { LogDirectory, LogFile } from './files.ts'
import { bodyOffset, encodeHeader, type Header } from './header.ts'
import { baseName, draftSuffix } from './names.ts'

/** Size in bytes and records at which a batch is written. */
const batchBytes = 512 * 1024
const batchRecords = 500

/**
 * Writes a base in slices between requests. Resolves to the offset of each record when the file is durable under its name. Rejects, and
 * leaves no file, when a record can't be read or their number is not the header's.
 */
export async function writeBase(
  directory: LogDirectory,
  header: Omit<Header, 'kind' | 'records'>,
  records: Iterable<Buffer>,
  count: number,
): Promise<readonly number[]> {
  const name = baseName(header.number)
  const file = directory.create(`${name}${draftSuffix}`)
  try {
    const offsets = await fill(file, { kind: 'base', ...header, records: count }, records)
    await file.sync()
    directory.rename(`${name}${draftSuffix}`, name)
    await directory.sync()
    return offsets
  } catch (error) {
    directory.remove(`${name}${draftSuffix}`)
    throw error
  } finally {
    file.close()
  }
}

async function fill(file: LogFile, header: Header, records: Iterable<Buffer>): Promise<readonly number[]> {
  const { pages, seed } = encodeHeader(header)
  file.write(pages, 0)
  const offsets: number[] = []
  let [end, checksum, size] = [bodyOffset.base as number, seed, 0]
  let batch: Buffer[] = []
  const flush = () => {
    const encoded = sealBatch(joined(batch), end, checksum, seed)
    file.write(encoded.bytes, end)
    append(offsets, encoded.offsets)
    end += encoded.bytes.length
    checksum = encoded.checksum
    size = 0
    batch = []
  }
  for (const record of records) {
    batch.push(record)
    size += record.length
    if (size < batchBytes && batch.length < batchRecords) continue
    flush()
    await nextTurn()
  }
  if (batch.length > 0) flush()
  if (offsets.length !== header.records) throw new Error(`${offsets.length} records instead of ${header.records}`)
  return offsets
}
