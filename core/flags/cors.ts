/** Items of `--cors-allowed-origins`. */
import { RE2JS } from 're2js'
import { messageOf } from '../schema/message-of.ts'

/** Why an item of --cors-allowed-origins is invalid: it must compile and anchor both ends of the host (CVE-2022-1996). */
export function corsOriginProblem(expression: string): string | undefined {
  if (expression === '') return 'must not be empty'
  try {
    RE2JS.compile(expression)
  } catch (error) {
    return `is not a regular expression: ${messageOf(error)}`
  }
  const pinned = /\^|\/\//.test(expression) && /\$|:/.test(expression)
  return pinned ? undefined : 'must pin the start of the host with ^ or // and its end with $ or :'
}

/** Returns a test of Origin headers against the expressions of `--cors-allowed-origins`; each may match anywhere in the header. */
export function createCorsTest(expressions: readonly string[]): (origin: string) => boolean {
  const compiled = expressions.map((expression) => RE2JS.compile(expression))
  return (origin) => compiled.some((expression) => expression.matcher(origin).find())
}
