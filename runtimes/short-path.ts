/** Paths of Unix sockets, which must be short. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Maximum length in bytes of a socket's path on all hosts: macOS allows 104 including the terminator. */
const maxPathLength = 103

/** Calls back with a path short enough for a socket; a long one is replaced by a link in the temporary directory. */
export async function withShortPath<T>(directory: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(resolve(directory), name)
  if (Buffer.byteLength(path) <= maxPathLength) return use(path)
  const short = mkdtempSync(join(tmpdir(), 'as-'))
  try {
    symlinkSync(resolve(directory), join(short, 'd'))
    return await use(join(short, 'd', name))
  } finally {
    rmSync(short, { recursive: true, force: true })
  }
}
