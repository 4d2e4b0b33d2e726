/**
 * `node runtimes/library.mjs [directory] [--no-check]`: builds what programs import, by default in `dist`: one module for each entry of the
 * package, modules that entries share, and `types/` with the declarations that the entries reach. `--no-check` skips checking types.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const given = process.argv.slice(2)
const outdir = resolve(root, given.find((argument) => !argument.startsWith('--')) ?? 'dist')
const declarations = join(root, 'build/types')

/** Source of each entry, by the name of its module. */
const entries = {
  index: 'runtimes/web/index',
  node: 'runtimes/node/index',
  testing: 'runtimes/testing/index',
  'testing-store': 'runtimes/testing/store/index',
  core: 'core/server',
}

/** The declaration files that some others reach through relative imports, including those. */
function reached(paths) {
  const found = new Set()
  const left = [...paths]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (found.has(path)) continue
    found.add(path)
    const imports = [...readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.ts['"]/g)]
    left.push(...imports.map(([, imported]) => resolve(dirname(path), `${imported}.d.ts`)))
  }
  return found
}

await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, `${source}.ts`])),
  outdir,
  chunkNames: 'shared/[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  packages: 'external',
  external: ['node:*'],
  charset: 'utf8',
  // Names of functions and variables stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
})

execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', ...(given.includes('--no-check') ? ['--noCheck'] : [])], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const path of reached(Object.values(entries).map((source) => join(declarations, `${source}.d.ts`))))
  cpSync(path, join(outdir, 'types', relative(declarations, path)))
