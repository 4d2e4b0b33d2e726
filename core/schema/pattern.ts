import { RE2JS } from 're2js'
import { messageOf } from './message-of.ts'

export interface Pattern {
  /** Whether the pattern is found in the text; false for every text when it can't be compiled. Takes linear time. */
  readonly test: (text: string) => boolean
  /** Why it can't be compiled. */
  readonly problem?: string
}

/** Characters of a pattern. Compiled, each takes some 500 bytes. */
const longest = 64 * 1024

/** Compiles a regular expression that a user wrote (RE2 syntax). Throws an error that says why it is none. */
export function compilePattern(pattern: string): RE2JS {
  // As Go's regexp says it of its own limits.
  if (pattern.length > longest) throw new Error('error parsing regexp: expression too large')
  return RE2JS.compile(pattern)
}

/** The same, told as a value. */
export function patternTest(pattern: string): Pattern {
  try {
    const compiled = compilePattern(pattern)
    return { test: (text) => compiled.matcher(text).find() }
  } catch (error) {
    return { test: () => false, problem: messageOf(error) }
  }
}
