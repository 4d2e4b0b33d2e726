/** In place of node:test where that is missing: tests are collected, and something else runs them. */

export interface DeclaredTest {
  readonly title: string
  readonly run: () => Promise<void> | void
}

export const declared: DeclaredTest[] = []
let above: readonly string[] = []

export function test(title: string, run: DeclaredTest['run']): void {
  declared.push({ title: [...above, title].join(' > '), run })
}

export function describe(title: string, define: () => void): void {
  const outside = above
  above = [...above, title]
  define()
  above = outside
}
