/**
 * Help texts that the build keeps beside the program, under the name that it is started by: envtest asks both of its programs for help before it
 * starts them, and loading one takes longer than to print a file.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The kept text, if the command line asks for nothing else than help; undefined: the program has to be asked. */
export function keptHelp(directory: string, name: string, argv: readonly string[]): string | undefined {
  if (argv.length !== 1 || argv[0] !== '--help') return undefined
  try {
    return readFileSync(join(directory, 'help', `${name}.txt`), 'utf8')
  } catch {
    return undefined
  }
}
