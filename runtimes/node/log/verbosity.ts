/** Which messages are wanted: `-v` for all, and `--vmodule` for those of some files. */
import { matchesGlob } from './glob.ts'

/** A pattern of `--vmodule`: file names without extension, with `*`, `?` and `[…]`. */
export interface FilePattern {
  readonly pattern: string
  readonly verbosity: number
}

/** Parses `pattern=N,…`, as the flag has checked it. */
export const parsePatterns = (text: string): readonly FilePattern[] =>
  text
    .split(',')
    .filter((item) => item !== '')
    .map((item) => {
      const [pattern = '', verbosity = ''] = item.split('=')
      return { pattern, verbosity: Number(verbosity) }
    })

/** The file of `filters/recover.ts:46`: `recover`. */
function fileOf(caller: string): string {
  const name = caller.slice(caller.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot === -1 ? name : name.slice(0, dot)
}

export class Verbosity {
  /** May change at any time. */
  level: number
  readonly #patterns: readonly FilePattern[]

  constructor(level: number, patterns: readonly FilePattern[] = []) {
    this.level = level
    this.#patterns = patterns
  }

  get hasPatterns(): boolean {
    return this.#patterns.length > 0
  }

  /** The verbosity that the first matching pattern gives this file; 0: none matches. */
  ofFile(caller: string): number {
    const file = fileOf(caller)
    return this.#patterns.find(({ pattern }) => matchesGlob(pattern, file))?.verbosity ?? 0
  }
}
