/**
 * Bundles workerd.ts with npm's esbuild and serves it with npm's workerd.
 * Needs: npm install --save-dev tsx esbuild workerd
 * Run it: npx tsx wrangler-free-examples/workerd-run.ts [worker file] 8080
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
const [port = '8080', worker = fileURLToPath(new URL('workerd.ts', import.meta.url))] = process.argv.slice(2).reverse()
const directory = mkdtempSync(join(tmpdir(), 'workerd-'))

await build({
  entryPoints: [worker],
  outfile: join(directory, 'worker.js'),
  bundle: true,
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
  target: 'es2023',
  logLevel: 'warning',
})
const config = join(directory, 'config.capnp')
writeFileSync(
  config,
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .api)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const api :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2025-09-01",
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
