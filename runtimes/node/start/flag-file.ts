import { accessSync, constants, statSync } from 'node:fs'
import type { FileKind } from '../../../core/config/files/kind.ts'
import { loadFile } from '../../../core/config/files/load.ts'
import { fileKinds } from '../../../core/flags/file-kinds.ts'
import { type Flag, FlagError } from '../../../core/flags/flag.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { flags as allFlags, type FlagName } from '../../../core/flags/rows/index.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { makeDirectories, reasonOf } from '../../atomic-file.ts'
import { readPath } from './read-path.ts'

/** The text of the file that a flag names; undefined when it is not set. */
export function readFlagFile(flags: ParsedFlags, flag: FlagName): string | undefined {
  const path: unknown = flags.get(flag)
  return typeof path === 'string' && path !== '' ? readPath(flag, path) : undefined
}

/** The content of the file that a flag names; undefined when it is not set. */
export function loadFlagFile<T>(flags: ParsedFlags, flag: FlagName, kind: FileKind<T>): T | undefined {
  const text = readFlagFile(flags, flag)
  return text === undefined ? undefined : loadFile(kind, text, String(flags.get(flag)), flags.platform)
}

/** Creates the directory that a flag names, with mode 0700. Throws a FlagError that names both, also when this user can't write there. */
export function makeFlagDirectory(flag: string, path: string): void {
  try {
    makeDirectories(path)
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new FlagError(`--${flag}: ${path}: ${reasonOf(error)}`)
  }
}

/** The files or directories that flags name, with the flag of each. */
function* namedPaths(flags: ParsedFlags, what: Flag['path']): Generator<readonly [flag: FlagName, path: string]> {
  for (const [name, { path }] of Object.entries(allFlags)) {
    if (path !== what) continue
    const value: unknown = flags.get(name as FlagName)
    for (const each of Array.isArray(value) ? value : [value]) if (typeof each === 'string' && each !== '') yield [name as FlagName, each]
  }
}

/**
 * Throws a FlagError that names flag and path unless every file that a flag names can be read, and has the kind of its flag. Pipes are not read
 * here: that works only once.
 */
export function checkFlagFiles(flags: ParsedFlags): void {
  for (const [flag, path] of namedPaths(flags, 'file')) {
    let readable = true
    try {
      readable = !statSync(path).isFIFO()
    } catch {
      // Reading it has the reason.
    }
    if (!readable) continue
    const text = readPath(flags.spelling(flag).slice('--'.length), path)
    const { kind } = allFlags[flag]
    try {
      if (kind !== undefined) loadFile(fileKinds[kind], text, path, flags.platform)
    } catch (error) {
      throw namingFlag(flags, error)
    }
  }
}

/** The error of a start, with the flag in front that names the file which the error is about. */
export function namingFlag(flags: ParsedFlags, error: unknown): unknown {
  const message = messageOf(error)
  if (message.startsWith('--')) return error
  // A file of a directory that another flag names is the file's first.
  for (const [flag, path] of [...namedPaths(flags, 'file'), ...namedPaths(flags, 'directory')])
    if (message.includes(path)) return new FlagError(`${flags.spelling(flag)}: ${message}`)
  return error
}
