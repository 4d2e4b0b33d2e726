/** The file operations of the log: few, so that tests can simulate a failing disk. */
import {
  chmodSync,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

export interface LogFile {
  /** Reads until the target is full or the file ends; returns the number of bytes read. */
  read(target: Uint8Array, position: number): number
  /** Writes everything or throws; a failed write leaves undefined content in its range. */
  write(bytes: Uint8Array, position: number): void
  /** Makes written data durable (fdatasync). */
  sync(): Promise<void>
  truncate(length: number): void
  size(): number
  close(): void
}

/** The files of one data directory, by name. */
export interface LogDirectory {
  /** Path, for messages. */
  readonly path: string
  names(): readonly string[]
  open(name: string): LogFile
  /** Creates a file with mode 0600; replaces an existing one. */
  create(name: string): LogFile
  /** Renames; replaces an existing file. */
  rename(from: string, to: string): void
  remove(name: string): void
  /** Makes creations, renames and removals durable (fsync of the directory). */
  sync(): Promise<void>
}

/** @param readOnly files are opened for reading alone. */
export function nodeDirectory(path: string, readOnly = false): LogDirectory {
  return {
    path,
    names: () => readdirSync(path),
    open: (name) => new NodeFile(openRegular(join(path, name), readOnly ? constants.O_RDONLY : constants.O_RDWR)),
    create(name) {
      const descriptor = openSync(join(path, name), 'w+', 0o600)
      chmodSync(join(path, name), 0o600)
      return new NodeFile(descriptor)
    },
    rename: (from, to) => renameSync(join(path, from), join(path, to)),
    remove: (name) => rmSync(join(path, name), { force: true }),
    async sync() {
      syncDirectory(path)
    },
  }
}

/** Opens a file, and nothing else: opening a pipe would never end. */
function openRegular(path: string, flags: number): number {
  const descriptor = openSync(path, flags | (constants.O_NONBLOCK ?? 0))
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  throw new Error(`${path}: is no regular file`)
}

/** Makes directory entries durable. Not needed on Windows. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Files whose writes survive the end of the process, but not that of the host: nothing waits for the disk. */
export function unsyncedDirectory(directory: LogDirectory): LogDirectory {
  const unsynced = (file: LogFile): LogFile => ({
    read: (target, position) => file.read(target, position),
    write: (bytes, position) => file.write(bytes, position),
    sync: async () => {},
    truncate: (length) => file.truncate(length),
    size: () => file.size(),
    close: () => file.close(),
  })
  return {
    path: directory.path,
    names: () => directory.names(),
    open: (name) => unsynced(directory.open(name)),
    create: (name) => unsynced(directory.create(name)),
    rename: (from, to) => directory.rename(from, to),
    remove: (name) => directory.remove(name),
    sync: async () => {},
  }
}

class NodeFile implements LogFile {
  readonly #descriptor: number

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  read(target: Uint8Array, position: number): number {
    let done = 0
    while (done < target.length) {
      const count = readSync(this.#descriptor, target, done, target.length - done, position + done)
      if (count === 0) break
      done += count
    }
    return done
  }

  write(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done)
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => fdatasync(this.#descriptor, (error) => (error ? reject(error) : resolve())))
  }

  truncate(length: number): void {
    ftruncateSync(this.#descriptor, length)
  }

  size(): number {
    return fstatSync(this.#descriptor).size
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
