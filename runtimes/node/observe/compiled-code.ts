/**
 * V8's code cache of a program, which shortens loading. The build writes it beside the program. If V8's
 * version or flags or the processor differ from those of the build, the first start writes a cache to the user's cache directory. A cache
 * that is damaged or belongs to another program is ignored, because V8 would crash on it.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
// By its default export: not every release of Bun and Deno has `crc32`, which they do not need.
import zlib from 'node:zlib'
import { writeAtomically } from '../../atomic-file.ts'

export interface Compiled {
  /** Value of the evaluated text. */
  readonly value: unknown
  /** Writes a code cache, unless one was used. Never throws: on failure the next start is slower. */
  keep(): void
}

/** Maximum files in a cache directory. */
const maxKept = 4
const checksumBytes = 4

/**
 * Covers the program's text, because V8 itself compares only the text's length. It finds damage, not attacks: those who may write the file run code
 * as this user anyway. A SHA-256 takes 30 times as long.
 */
function checksum(programDigest: string, code: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(checksumBytes)
  bytes.writeUInt32LE(zlib.crc32(code, zlib.crc32(programDigest)))
  return bytes
}

/** Directories to search: the one that the environment names, or beside the program and in the user's cache. */
function places(programDirectory: string): readonly string[] {
  const { APISERVER_COMPILE_CACHE: named, XDG_CACHE_HOME: cache } = process.env
  return named ? [named] : [programDirectory, join(cache || join(homedir(), '.cache'), 'apiserver')]
}

/** True when only this user can write the file. Otherwise its writer could run code as this user. */
function isOurs(path: string): boolean {
  const { uid, mode } = statSync(path)
  return process.getuid === undefined || ((uid === process.getuid() || uid === 0) && (mode & 0o022) === 0)
}

function readKept(path: string, programDigest: string): Buffer | undefined {
  try {
    if (!isOurs(path)) return undefined
    const bytes = readFileSync(path)
    const code = bytes.subarray(checksumBytes)
    return bytes.subarray(0, checksumBytes).equals(checksum(programDigest, code)) ? code : undefined
  } catch {
    return undefined
  }
}

/** Removes the oldest files of a cache directory. */
function trim(directory: string): void {
  const paths = readdirSync(directory)
    .filter((name) => name.endsWith('.compiled'))
    .map((name) => join(directory, name))
  const byAge = paths.map((path) => ({ path, time: statSync(path).mtimeMs })).toSorted((a, b) => b.time - a.time)
  for (const { path } of byAge.slice(maxKept)) rmSync(path, { force: true })
}

/** Evaluates the ASCII text in a file of this directory; `programDigest` identifies the text. */
export function evaluateProgram(directory: string, file: string, programDigest: string): Compiled {
  // Latin-1: one byte per character in memory, and no decoding.
  const text = readFileSync(join(directory, file), 'latin1')
  const filename = join(directory, file)
  const { bun, deno } = process.versions
  if (bun !== undefined || deno !== undefined) return { value: new Script(text, { filename }).runInThisContext(), keep: () => undefined }
  const name = `${programDigest.slice(0, 16)}-${cachedDataVersionTag().toString(16)}.compiled`
  const candidates = places(directory)
  const cachedData = candidates.reduce<Buffer | undefined>((found, place) => found ?? readKept(join(place, name), programDigest), undefined)
  const script = new Script(text, { filename, ...(cachedData && { cachedData }) })
  const isKept = script.cachedDataRejected === false
  return {
    value: script.runInThisContext(),
    keep() {
      const place = candidates.at(-1)
      if (isKept || place === undefined) return
      const code = script.createCachedData()
      try {
        writeAtomically(join(place, name), Buffer.concat([checksum(programDigest, code), code]), 0o644)
        trim(place)
      } catch {
        // A read-only or full disk.
      }
    },
  }
}
