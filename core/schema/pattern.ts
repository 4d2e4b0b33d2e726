import { RE2JS } from 're2js'
import { messageOf } from './message-of.ts'

export interface Pattern {
  /** Whether the pattern matches anywhere in the text; always false if it does not compile. Linear time. */
  readonly test: (text: string) => boolean
  /** Compile error. */
  readonly problem?: string
}

/** Maximum characters of a pattern; when compiled, each takes about 500 bytes. */
const longest = 64 * 1024

/** Compiles a user's regular expression (RE2 syntax). Throws an Error with the reason when it is invalid. */
export function compilePattern(pattern: string): RE2JS {
  // Go's text for exceeding its own limits.
  if (pattern.length > longest) throw new Error('error parsing regexp: expression too large')
  return RE2JS.compile(pattern)
}

/** As `compilePattern`, with the error as value. */
export function patternTest(pattern: string): Pattern {
  try {
    const compiled = compilePattern(pattern)
    return { test: (text) => compiled.matcher(text).find() }
  } catch (error) {
    return { test: () => false, problem: messageOf(error) }
  }
}
