/**
 * Bundles workerd.ts, or another worker, with npm's esbuild and serves it with npm's workerd. Classes that the worker exports are Durable Objects with
 * SQLite, whose namespaces it finds in variables such as CONTROL_PLANE for the class ControlPlane. Without `--disk` they
 * forget everything when this ends.
 * Needs: npm install --save-dev tsx esbuild workerd
 * Run it: npx tsx wrangler-free-examples/workerd-run.ts [--disk DIRECTORY] [--variable NAME=TEXT]... [worker file] 8080
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const require = createRequire(import.meta.url)

/** A tool of the project; ends with what to install when it is missing. */
function tool<T>(name: string): T {
  try {
    return require(name) as T
  } catch {
    console.error(`error: ${name} is not installed: npm install --save-dev esbuild workerd`)
    process.exit(1)
  }
}

const { build } = tool<typeof import('esbuild')>('esbuild')
// The package's main export is the path of its binary.
const { default: workerd } = tool<{ readonly default: string }>('workerd')
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { disk: { type: 'string' }, variable: { type: 'string', multiple: true, default: [] } },
})
const [port = '8080', worker = fileURLToPath(new URL('workerd.ts', import.meta.url))] = positionals.reverse()
const directory = mkdtempSync(join(tmpdir(), 'workerd-'))

const { metafile } = await build({
  entryPoints: [worker],
  outfile: join(directory, 'worker.js'),
  bundle: true,
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
  target: 'es2023',
  minify: true,
  metafile: true,
  logLevel: 'warning',
})
const classes = Object.values(metafile.outputs).flatMap(({ exports }) => exports.filter((name) => name !== 'default'))
/** A text of Cap'n Proto. */
const text = (value: string) => JSON.stringify(value)
const bindings = [
  ...classes.map((name) => `(name = "${name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}", durableObjectNamespace = "${name}")`),
  ...given.variable.map((variable) => {
    const [name = '', ...value] = variable.split('=')
    return `(name = ${text(name)}, text = ${text(value.join('='))})`
  }),
]
const namespaces = classes.map((name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`)
const disk = resolve(given.disk ?? join(directory, 'disk'))
mkdirSync(disk, { recursive: true })
const objects =
  classes.length === 0 ? '' : `durableObjectNamespaces = [${namespaces.join(', ')}], durableObjectStorage = (localDisk = "disk"),`
const config = join(directory, 'config.capnp')
writeFileSync(
  config,
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .api), (name = "disk", disk = (path = ${text(disk)}, writable = true))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const api :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2025-09-01",
  bindings = [${bindings.join(', ')}],
  ${objects}
);
`,
)
const child = spawn(workerd, ['serve', config], { stdio: 'inherit' })
// Does not wait for open watches to end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'))
child.on('error', (error) => console.error(`error: workerd: ${error.message}`))
child.on('close', (code) => {
  rmSync(directory, { recursive: true, force: true })
  process.exitCode = code ?? 0
})
