import { RE2JS } from 're2js'
import { messageOf } from './message-of.ts'

export interface Pattern {
  /** Whether the pattern is found in the text; false for every text when it can't be compiled. Takes linear time. */
  readonly test: (text: string) => boolean
  /** Why it can't be compiled. */
  readonly problem?: string
}

/** A regular expression that a user wrote (RE2 syntax). Compiled when first used. */
export function patternTest(pattern: string): Pattern {
  try {
    const compiled = RE2JS.compile(pattern)
    return { test: (text) => compiled.matcher(text).find() }
  } catch (error) {
    return { test: () => false, problem: messageOf(error) }
  }
}
