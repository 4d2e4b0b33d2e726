import { RE2JS } from 're2js'
import { messageOf } from '../message-of.ts'

export interface Pattern {
  /** Whether the pattern matches anywhere in the text; always false if it does not compile. Linear time. */
  readonly test: (text: string) => boolean
  /** Compile error. */
  readonly problem?: string
}

/** Maximum characters of a pattern; when compiled, each takes about 500 bytes. */
const maxLength = 64 * 1024

/** Compiles a user's regular expression (RE2 syntax). Throws an Error with the reason when it is invalid. */
export function compilePattern(pattern: string): RE2JS {
  // Go's text for exceeding its own limits.
  if (pattern.length > maxLength) throw new Error('error parsing regexp: expression too large')
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

/** Maximum characters of a pattern that `certainlyCompiles` judges by its form. */
const shortPattern = 500
const repetitions = /\{(\d{1,3})(?:,(\d{0,3}))?\}/g
/** Syntax that RE2 and JavaScript share: plain characters, character classes, groups and repetitions. */
const common =
  /^(?:[\w ,:;@%=~/<>#&!"'^$.|)*+?-]|\((?:\?:|(?!\?))|\\[dswDSW./+*?^$()|[\]{}\\-]|\[\^?(?:[\w ,:;@%=~/<>#&!"'.+*?$()|-]|\\[.\-/[\]\\])+\]|\{\d{1,3}(?:,\d{0,3})?\})*$/
/** Maximum copies of nested repetitions, as in Go. */
const maxCopies = 1000

/** Whether a pattern certainly compiles, at a hundredth of the cost of compiling it. The pattern is parsed, never run. */
function certainlyCompiles(pattern: string): boolean {
  if (pattern.length > shortPattern || !common.test(pattern)) return false
  let copies = 1
  for (const [, min, max] of pattern.matchAll(repetitions)) copies *= Math.max(1, Number(min), Number(max ?? 0))
  if (copies > maxCopies) return false
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

/** Compile error of a pattern; undefined: valid. */
export const patternProblem = (pattern: string): string | undefined =>
  certainlyCompiles(pattern) ? undefined : patternTest(pattern).problem
