import { RE2JS } from 're2js'

/** A test of an Origin header against the expressions of `--cors-allowed-origins`; any of them may match anywhere in it. */
export function createCorsTest(expressions: readonly string[]): (origin: string) => boolean {
  const compiled = expressions.map((expression) => RE2JS.compile(expression))
  return (origin) => compiled.some((expression) => expression.matcher(origin).find())
}
