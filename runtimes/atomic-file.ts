import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a directory and its missing parents with mode 0700, and returns the first one that it created. Node's own `recursive` option never ends where a
 * directory exists in which none can be created, as in /proc.
 */
export function makeDirectories(path: string): string | undefined {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at)
  // With a file in the place of the directory this fails, and names it.
  if (missing.length === 0) mkdirSync(path, { recursive: true })
  for (const each of missing) mkdirSync(each, { mode: 0o700 })
  return missing[0]
}

/** Replaces a file atomically: readers see the old content or the new. Creates a missing directory with mode 0700. */
export function writeAtomically(path: string, content: string | Uint8Array, mode: number): void {
  makeDirectories(dirname(path))
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`
  try {
    writeFileSync(temporary, content, { mode, flush: true })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new Error(`write ${path}: ${reasonOf(error)}`)
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  ENOSPC: 'no space left on device',
  EROFS: 'read-only file system',
}

/** Short reason why a file operation failed, such as `no such file or directory`. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? message
}
