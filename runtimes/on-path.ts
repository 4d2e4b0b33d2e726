/** Programs of the host. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Whether this user may run the file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Path of the program that a shell would run; undefined: there is none. */
export const programOnPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable)
