import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Bundles a loop like the daemon, beside its imported packages; `work` gets the file, which is removed afterwards. */
export async function onBundle<T>(source: string, work: (file: string) => T | Promise<T>): Promise<T> {
  mkdirSync('build', { recursive: true })
  const directory = mkdtempSync('build/bench-')
  const outfile = join(directory, 'loop.mjs')
  try {
    await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
    return await work(outfile)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
