import { RE2JS } from 're2js'

/** Returns a test of Origin headers against the expressions of `--cors-allowed-origins`; each may match anywhere in the header. */
export function createCorsTest(expressions: readonly string[]): (origin: string) => boolean {
  const compiled = expressions.map((expression) => RE2JS.compile(expression))
  return (origin) => compiled.some((expression) => expression.matcher(origin).find())
}
