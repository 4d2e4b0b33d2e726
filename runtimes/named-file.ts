/** Reads files that users name: also pipes and devices, none of which may hold up the program. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds to wait for what a pipe brings, and between looks. */
const [maxWait, interval] = [5_000, 10]
/** Maximum bytes of what is not a regular file, such as an endless device. */
const maxBytes = 16 * 1024 * 1024
const pieceSize = 64 * 1024

const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** An open file. */
class NamedFile {
  readonly #descriptor: number
  readonly #began = performance.now()
  readonly #pieces: Buffer[] = []
  #size = 0

  constructor(path: string) {
    // Otherwise opening a pipe that nothing writes to never ends.
    this.#descriptor = openSync(path, flags)
  }

  /** The content; undefined: there will be more. @throws Error */
  read(): Buffer | undefined {
    const stat = fstatSync(this.#descriptor)
    if (stat.isFile() || stat.isDirectory()) return readFileSync(this.#descriptor)
    for (;;) {
      const piece = Buffer.alloc(pieceSize)
      const length = this.#readInto(piece)
      // A pipe whose writer has yet to open it ends at once.
      if (length === 0 && (this.#size > 0 || !stat.isFIFO())) return Buffer.concat(this.#pieces)
      if (length === undefined || length === 0) {
        if (performance.now() - this.#began > maxWait) throw new Error(`nothing arrived in this pipe within ${maxWait / 1000} s`)
        return undefined
      }
      this.#pieces.push(piece.subarray(0, length))
      this.#size += length
      if (this.#size > maxBytes) throw new Error('is no file, and has no end')
    }
  }

  /** Undefined: nothing is there yet. */
  #readInto(piece: Buffer): number | undefined {
    try {
      return readSync(this.#descriptor, piece)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
      throw error
    }
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

/** Waits for a pipe at most 5 s, and meanwhile does nothing else: for the start. */
export function readNamedFile(path: string): Buffer {
  const file = new NamedFile(path)
  try {
    for (;;) {
      const content = file.read()
      if (content !== undefined) return content
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, interval)
    }
  } finally {
    file.close()
  }
}

/** Waits for a pipe at most 5 s. */
export async function awaitNamedFile(path: string): Promise<Buffer> {
  const file = new NamedFile(path)
  try {
    for (;;) {
      const content = file.read()
      if (content !== undefined) return content
      await sleep(interval)
    }
  } finally {
    file.close()
  }
}
