/** The audit log: a file that is rotated by size as lumberjack does, or standard output. */
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Clock, Logger } from '../../../core/ports.ts'
import { makeDirectories, reasonOf } from '../../atomic-file.ts'

export interface AuditLogOptions {
  readonly path: string
  /** Maximum bytes of a file; 0: it is not rotated. */
  readonly maxSize: number
  /** Maximum number of rotated files; 0: all are kept. */
  readonly maxBackups: number
  /** Maximum age of rotated files in milliseconds; 0: no limit. */
  readonly maxAge: number
  /** Whether rotated files are compressed. */
  readonly compress: boolean
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Logger
}

export interface AuditLog {
  write(lines: Uint8Array): Promise<void>
  /** Resolves when everything is written. */
  close(): Promise<void>
}

const compressed = '.gz'
const lineEnd = Buffer.from('\n')

/** Lines that wait while others are written. */
interface Waiting {
  readonly lines: Uint8Array
  resolve(): void
  reject(error: Error): void
}

/** UTC, as lumberjack writes it into names: `2006-01-02T15-04-05.000`. */
const stampOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, -1).replaceAll(':', '-')

/** Milliseconds since the epoch; undefined: no such stamp. */
function timeOf(stamp: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp)
  const time = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`)
  return Number.isNaN(time) ? undefined : time
}

class RotatedFile implements AuditLog {
  readonly #options: AuditLogOptions
  #file: FileHandle
  #size: number
  /** A failed write may have ended within a line. */
  #isTorn = false
  readonly #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #cleaning: Promise<void> = Promise.resolve()

  constructor(options: AuditLogOptions, file: FileHandle, size: number) {
    this.#options = options
    this.#file = file
    this.#size = size
    this.#clean()
  }

  write(lines: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lines, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#cleaning
    await this.#file.close()
  }

  /** Writes what waits, as much as fits into the file at once. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#take()
      try {
        await this.#append(taken.map(({ lines }) => lines))
        for (const { resolve } of taken) resolve()
      } catch (error) {
        this.#isTorn = true
        for (const { reject } of taken) reject(new Error(`write ${this.#options.path}: ${reasonOf(error)}`))
      }
    }
    this.#writing = undefined
  }

  #take(): Waiting[] {
    const { maxSize } = this.#options
    let size = this.#size
    let count = 0
    for (const { lines } of this.#waiting) {
      if (count > 0 && maxSize > 0 && size + lines.length > maxSize) break
      size += lines.length
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #append(lines: readonly Uint8Array[]): Promise<void> {
    const { maxSize } = this.#options
    const bytes = Buffer.concat(this.#isTorn ? [lineEnd, ...lines] : lines)
    if (maxSize > 0 && this.#size > 0 && this.#size + bytes.length > maxSize) await this.#rotate()
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at)
      at += bytesWritten
      this.#size += bytesWritten
    }
    this.#isTorn = false
  }

  async #rotate(): Promise<void> {
    const { path } = this.#options
    makeDirectories(dirname(path))
    // The old file stays in use until the new one is there.
    const backup = await this.#freeName()
    await rename(path, backup).catch((error: NodeJS.ErrnoException) => {
      // Moved or removed by others, or by an earlier try that could not open the new file.
      if (error.code !== 'ENOENT') throw error
    })
    const next = await open(path, 'a', 0o600)
    const before = this.#file
    this.#file = next
    this.#size = 0
    await before.close()
    this.#clean()
  }

  /** Path of the rotated file; files of the same millisecond get later ones. */
  async #freeName(): Promise<string> {
    const { directory, prefix, extension } = this.#names()
    const taken = new Set(await readdir(directory))
    for (let time = this.#options.clock.now(); ; time++) {
      const name = `${prefix}${stampOf(time)}${extension}`
      if (!taken.has(name) && !taken.has(`${name}${compressed}`)) return join(directory, name)
    }
  }

  #names() {
    const { path } = this.#options
    const extension = extname(path)
    return { directory: dirname(path), prefix: `${basename(path, extension)}-`, extension }
  }

  /** Compresses and removes rotated files, after the previous time. */
  #clean(): void {
    const { logger } = this.#options
    this.#cleaning = this.#cleaning
      .then(() => this.#cleanNow())
      .catch((error: unknown) => logger.error({ error: reasonOf(error) }, 'rotated audit logs could not be compressed or removed'))
  }

  async #cleanNow(): Promise<void> {
    const { maxBackups, maxAge, compress, clock } = this.#options
    const { directory, prefix, extension } = this.#names()
    const rotated = (await readdir(directory)).flatMap((name) => {
      const plain = name.endsWith(compressed) ? name.slice(0, -compressed.length) : name
      if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return []
      const time = timeOf(plain.slice(prefix.length, plain.length - extension.length))
      return time === undefined ? [] : [{ name, plain, time }]
    })
    const newest = [...new Set(rotated.toSorted((a, b) => b.time - a.time).map(({ plain }) => plain))]
    const kept = new Set(maxBackups > 0 ? newest.slice(0, maxBackups) : newest)
    for (const { name, plain, time } of rotated) {
      const path = join(directory, name)
      const isOld = maxAge > 0 && time < clock.now() - maxAge
      if (isOld || !kept.has(plain)) await rm(path, { force: true })
      else if (compress && name === plain) await zip(path)
    }
  }
}

async function zip(path: string): Promise<void> {
  const to = `${path}${compressed}`
  await pipeline(createReadStream(path), createGzip(), createWriteStream(to, { mode: 0o600 }))
  await rm(path)
}

/** Standard output: nothing else writes to it. */
const standardOutput: AuditLog = {
  write: (lines) =>
    new Promise((resolve, reject) => {
      process.stdout.write(lines, (error) => (error ? reject(new Error(`write standard output: ${reasonOf(error)}`)) : resolve()))
    }),
  close: () => Promise.resolve(),
}

/** Opens the log; its directory is created. Path `-`: standard output. Rejects with the file system's error. */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { path } = options
  if (path === '-') return standardOutput
  makeDirectories(dirname(path))
  const file = await open(path, 'a', 0o600)
  return new RotatedFile(options, file, (await file.stat()).size)
}
