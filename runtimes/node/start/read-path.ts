import { FlagError } from '../../../core/flags/flag.ts'
import { reasonOf } from '../../atomic-file.ts'
import { readNamedFile } from '../../named-file.ts'

/** The text of a file that a flag's value names. Throws a FlagError that names both. */
export function readPath(flag: string, path: string): string {
  try {
    return readNamedFile(path).toString()
  } catch (error) {
    throw new FlagError(`--${flag}: ${path}: ${reasonOf(error)}`)
  }
}
