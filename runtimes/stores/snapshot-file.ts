/**
 * Format of a snapshot file: a first line with the file type, frames of `kind | length of key | length of record | key | record`, a last
 * frame of kind End with the revision and the number of revision records, and the SHA-256 of everything before it.
 */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'

const firstLine = Buffer.from('apiserver snapshot 1\n')
const headerBytes = 1 + 4 + 4
const digestBytes = 32
/** Maximum plausible length of a record: more than the largest value with its key. */
const maxRecordBytes = 16 * 1024 * 1024
const bufferSize = 1024 * 1024

export const frameKinds = { revision: 1, lease: 2, end: 3 } as const
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds]

export interface Frame {
  readonly kind: FrameKind
  readonly key: Buffer
  readonly record: Buffer
}

/** Writes a new file; fails when it exists. */
export class SnapshotWriter {
  readonly #descriptor: number
  readonly #hash = createHash('sha256')
  #parts: Buffer[] = []
  #size = 0

  constructor(path: string) {
    this.#descriptor = openSync(path, 'wx', 0o600)
    this.#push(firstLine)
  }

  add({ kind, key, record }: Frame): void {
    const header = Buffer.alloc(headerBytes)
    header.writeUInt8(kind, 0)
    header.writeUInt32BE(key.length, 1)
    header.writeUInt32BE(record.length, 5)
    this.#push(header, key, record)
    if (this.#size > bufferSize) this.#flush()
  }

  /** Adds the checksum and syncs the file. */
  finish(): void {
    this.#flush()
    writeAll(this.#descriptor, this.#hash.digest())
    fsyncSync(this.#descriptor)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #push(...parts: readonly Buffer[]): void {
    for (const part of parts) this.#size += part.length
    this.#parts.push(...parts)
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#parts)
    this.#hash.update(bytes)
    writeAll(this.#descriptor, bytes)
    this.#parts = []
    this.#size = 0
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}

/** The frames of a file. Throws an Error at the end when the file is incomplete; earlier frames must then be discarded. */
export function* readFrames(path: string): Generator<Frame> {
  const descriptor = openSync(path, 'r')
  try {
    const end = fstatSync(descriptor).size - digestBytes
    const hash = createHash('sha256')
    const read = reader(descriptor, hash, end)
    if (end < firstLine.length || !read(firstLine.length).equals(firstLine)) throw new Error('is not a snapshot')
    for (;;) {
      const header = read(headerBytes)
      const kind = header.readUInt8(0) as FrameKind
      const [keyLength, recordLength] = [header.readUInt32BE(1), header.readUInt32BE(5)]
      if (keyLength + recordLength > maxRecordBytes) throw damaged()
      yield { kind, key: read(keyLength), record: read(recordLength) }
      if (kind === frameKinds.end) break
    }
    const digest = Buffer.alloc(digestBytes)
    const length = readSync(descriptor, digest, 0, digestBytes, end)
    if (read.position() !== end || length !== digestBytes || !digest.equals(hash.digest())) throw damaged()
  } finally {
    closeSync(descriptor)
  }
}

const damaged = () => new Error('is damaged or truncated')

/** Reads a file sequentially up to `end`, and hashes it. */
function reader(descriptor: number, hash: Hash, end: number): ((length: number) => Buffer) & { position(): number } {
  let position = 0
  let window = Buffer.alloc(0)
  const read = (length: number): Buffer => {
    if (position + length > end) throw damaged()
    if (window.length < length) {
      const wanted = Math.min(Math.max(bufferSize, length), end - position) - window.length
      const more = Buffer.alloc(wanted)
      const got = readSync(descriptor, more, 0, wanted, position + window.length)
      window = Buffer.concat([window, more.subarray(0, got)])
      if (window.length < length) throw damaged()
    }
    const bytes = window.subarray(0, length)
    window = window.subarray(length)
    position += length
    hash.update(bytes)
    return bytes
  }
  return Object.assign(read, { position: () => position })
}
