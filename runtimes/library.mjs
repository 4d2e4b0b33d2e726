/**
 * `node runtimes/library.mjs`: builds what programs import in `dist`: one module for each entry of the package, modules that entries share, and `types/` with
 * the declarations that the entries reach. Types are checked by `npm run types`, not here. What was built from the same sources is left as it is.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { buildOnce } from './build-once.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const outdir = join(root, 'dist')
const declarations = join(root, 'build/types')

/** Source of each entry, by the name of its module. */
const entries = {
  index: 'runtimes/web/index',
  edge: 'runtimes/edge/index',
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

/**
 * Types that some projects of users do not have, and what says the same in all of them. Generic arrays of bytes came with TypeScript 5.7, iterators of
 * arrays with 5.6. The other two are in the library `DOM` only: @types/node declares the rest of the Web APIs.
 */
const portableTypes = [
  [/\bUint8Array<ArrayBuffer>/g, "ReturnType<Uint8Array['slice']>"],
  [/\bArrayIterator<(.+)>;/g, "ReturnType<($1)[]['values']>;"],
  [/\bCryptoKey\b/g, 'Awaited<ReturnType<typeof crypto.subtle.importKey>>'],
  [/\bHeadersInit\b/g, 'ConstructorParameters<typeof Headers>[0]'],
]

/** Declarations with portable types; comments stay. */
const portable = (text) =>
  text.replace(/^(?! *\/?\*).+/gm, (line) => portableTypes.reduce((edited, [type, same]) => edited.replace(type, same), line))

/** The exports of a TypeScript module of this checkout. */
async function imported(source) {
  mkdirSync(join(root, 'build'), { recursive: true })
  const directory = mkdtempSync(join(root, 'build/module-'))
  try {
    const outfile = join(directory, 'module.mjs')
    const options = { bundle: true, format: 'esm', platform: 'neutral', packages: 'external', logLevel: 'warning' }
    await build({ absWorkingDir: root, entryPoints: [source], outfile, ...options })
    return await import(pathToFileURL(outfile))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Defaults that a sentence can have. */
const isPlain = (value) => ['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && value !== '')

/** The doc comment of an option: its row in one sentence or several. */
function commentOf({ type, description }, value) {
  const unit = type.unit === undefined ? '' : ` In ${type.unit}.`
  const usual =
    description.includes('Default') || !isPlain(value) ? '' : ` Default ${typeof value === 'number' ? value.toLocaleString('en') : value}.`
  return `/** ${description}${unit}${usual} */`
}

/** Writes the description of each option above its declaration. Editors show it, because types of options are derived from the rows. */
async function describeOptions(directory) {
  const { optionGroups } = await imported('core/options/index.ts')
  for (const [group, table] of Object.entries(optionGroups)) {
    const path = join(directory, `core/options/${group}.d.ts`)
    const left = new Set(Object.keys(table))
    const text = readFileSync(path, 'utf8').replace(/^ {4}(\w+): import\("\.\/option\.ts"\)/gm, (line, name) =>
      left.delete(name) ? `    ${commentOf(table[name], table[name].initial({}))}\n${line}` : line,
    )
    if (left.size > 0) throw new Error(`${path}: no declaration of ${[...left].join(', ')}`)
    writeFileSync(path, text)
  }
}

/** `firstState`: that of `startTestServer()`, which takes longer to make than to copy. */
async function buildModules(firstState) {
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
    define: { madeFirstState: JSON.stringify(firstState) },
    // A source with one character beyond Latin-1 takes two bytes for each.
    charset: 'ascii',
    // Names of exported functions, too, which the daemon keeps for its stack traces: a sixth of the package.
    // It stays readable line by line: runtimes print the line of an error, some with those around it. Without minification the package would have 7.7 MB.
    minify: true,
    lineLimit: 240,
    logLevel: 'warning',
  })
}

async function buildDeclarations() {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  for (const path of reached(Object.values(entries).map((source) => join(declarations, `${source}.d.ts`)))) {
    const to = join(outdir, 'types', relative(declarations, path))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, portable(readFileSync(path, 'utf8')))
  }
  await describeOptions(join(outdir, 'types'))
  const { kindTypes } = await imported('runtimes/kind-types.ts')
  writeFileSync(join(outdir, 'types/runtimes/testing/kinds.d.ts'), kindTypes())
}

/** Removes what an earlier build has left; the daemon in `bin` has its own build. */
function removeModules() {
  if (existsSync(outdir)) for (const name of readdirSync(outdir)) if (name !== 'bin') rmSync(join(outdir, name), { recursive: true })
}

await buildOnce({ what: 'modules and their declarations', output: outdir, digest: join(outdir, 'sources.sha256') }, async () => {
  removeModules()
  const { makeState } = await imported('runtimes/testing/made-state.ts')
  await buildModules(await makeState())
  await buildDeclarations()
})
