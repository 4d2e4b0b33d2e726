/** Location of the checkout, whether this file runs from its source or transpiled below `build/`. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

function checkout(from: URL): URL {
  const parent = new URL('..', from)
  if (parent.href === from.href) throw new Error('no package.json above the tests')
  return existsSync(new URL('package.json', parent)) ? parent : checkout(parent)
}

/** URL of the directory of package.json; ends with a slash. */
export const rootUrl = checkout(new URL('.', import.meta.url))
/** Path of the same directory; ends with a slash. */
export const root = fileURLToPath(rootUrl)

/**
 * Arguments for Node to run a test program, given the URL of its source: `new URL('child.ts', import.meta.url)`.
 * Transpiled tests run transpiled programs, which start faster.
 */
export function nodeArguments(program: URL): string[] {
  const path = fileURLToPath(program)
  return import.meta.url.endsWith('.ts') ? ['--import', 'tsx', path] : [path.replace(/\.ts$/, '.js')]
}
