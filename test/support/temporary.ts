import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new temporary directory, and a function that removes it. */
export function temporaryDirectory(name = 'apiserver'): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `${name}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
