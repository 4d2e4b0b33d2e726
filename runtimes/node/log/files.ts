/** The host's log directory, for `/logs`. Links may lead to places below it only. */
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { LogDirectory, LogFile, LogFiles } from '../../../core/ports.ts'

/** Bytes that are read at once, and those that tell whether a file is text. */
const [piece, beginning] = [64 * 1024, 512]

/** The bytes of a file as they are asked for; it is open only while they are. */
async function* pieces(path: string, first: number, last: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const file = await open(path, 'r')
  try {
    for (let at = first; at <= last; ) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(Math.min(piece, last - at + 1)), 0, undefined, at)
      // The file has been cut since.
      if (bytesRead === 0) throw new Error('the file is shorter than it was')
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}

function streamOf(bytes: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await bytes.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await bytes.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

const logFile = (path: string, size: number, modified: number): LogFile => ({
  size,
  modified,
  async isText() {
    for await (const bytes of pieces(path, 0, Math.min(size, beginning) - 1)) return !bytes.includes(0)
    return true
  },
  read: (first, last) => streamOf(pieces(path, first, last)),
})

async function directory(path: string, modified: number): Promise<LogDirectory> {
  const entries = await readdir(path, { withFileTypes: true })
  return { modified, names: entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort() }
}

/** Errors of a path that is not there, or not for this server. */
const absent = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG', 'ELOOP', 'EPERM'])

export function logFilesBelow(root: string): LogFiles {
  return {
    async find(segments) {
      // A segment is a name, whatever the caller has checked.
      if (segments.some((segment) => segment === '' || segment === '.' || segment === '..' || /[/\\\0]/.test(segment))) return undefined
      try {
        const [home, path] = await Promise.all([realpath(root), realpath(join(root, ...segments))])
        if (path !== home && !path.startsWith(home + sep)) return undefined
        const found = await stat(path)
        if (found.isDirectory()) return await directory(path, found.mtimeMs)
        // Pipes and devices would block.
        return found.isFile() ? logFile(path, found.size, found.mtimeMs) : undefined
      } catch (error) {
        if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
        throw error
      }
    },
  }
}
