import { mkdirSync, readFileSync } from 'node:fs'
import { FlagError } from '../../core/config/flag.ts'
import type { FlagName } from '../../core/config/flags/index.ts'
import type { ParsedFlags } from '../../core/config/parse.ts'
import { reasonOf } from '../atomic-file.ts'

/** The text of a file that a flag's value names. Throws a FlagError that names both. */
export function readPath(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new FlagError(`--${flag}: ${path}: ${reasonOf(error)}`)
  }
}

/** The text of the file that a flag names; undefined when it is not set. */
export function readFlagFile(flags: ParsedFlags, flag: FlagName): string | undefined {
  const path: unknown = flags.get(flag)
  return typeof path === 'string' && path !== '' ? readPath(flag, path) : undefined
}

/** Creates the directory that a flag names, with mode 0700. Throws a FlagError that names both. */
export function makeFlagDirectory(flag: string, path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new FlagError(`--${flag}: ${path}: ${reasonOf(error)}`)
  }
}
