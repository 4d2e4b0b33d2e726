/**
 * `npm run bundle [-- directory]`: builds the daemon in a directory, by default `dist/bin`: `bin.js`, stamped with commit and date;
 * `server.js` and `etcd.js`, the bundled programs that it loads one of; V8's code caches of them; and help texts. A directory that was built from the same sources is left as
 * it is.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { buildOnce } from '../build-once.mjs'
import { placeLogCalls } from '../log-callers.mjs'
import { buildStamp } from '../stamp.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const outdir = resolve(root, process.argv[2] ?? 'dist/bin')
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  charset: 'ascii',
  logLevel: 'warning',
}

/** Escapes non-ASCII characters that esbuild leaves: those in regular expressions and comments. */
const ascii = (text) => text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The sources with log calls that know their place. */
const logCallers = {
  name: 'log-callers',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => ({
      contents: placeLogCalls(readFileSync(path, 'utf8'), path),
      loader: path.endsWith('ts') ? 'ts' : 'js',
    })),
}

/**
 * Writes a program and returns the digest of its text. Identifiers are shortened in a second step, which takes the bundle as a script, so that
 * names of top-level functions stay for stack traces. The option `keepNames` would set the name of every closure when it is made: 40 % of a GET.
 */
async function buildProgram(entry, file) {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [entry],
    outfile: join(outdir, file),
    sourcemap: 'inline',
    write: false,
    // Large packages that are rarely needed: gRPC clients, tracing.
    external: ['@grpc/grpc-js', 'etcd3', '@opentelemetry/api', '@opentelemetry/sdk-trace-base'],
    plugins: [logCallers],
    minifyWhitespace: true,
    minifySyntax: true,
    supported: { 'dynamic-import': false },
  })
  const { code, map } = await transform(outputFiles[0].text, {
    target: options.target,
    charset: options.charset,
    minifyIdentifiers: true,
    minifyWhitespace: true,
    sourcemap: 'external',
    sourcefile: 'bundle.js',
    banner: '(function (require, __dirname, buildStamp) { const module = { exports: {} }; let exports = module.exports;',
    footer: 'return module.exports })',
  })
  writeFileSync(join(outdir, file), `${ascii(code)}//# sourceMappingURL=${file}.map\n`)
  writeFileSync(join(outdir, `${file}.map`), map)
  return createHash('sha256')
    .update(readFileSync(join(outdir, file)))
    .digest('hex')
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await once(server.close(), 'close')
  return port
}

/** Starts a server once, so that it writes its code cache into the output directory. `ready`: what it says when it serves. */
async function compileOnce(argv, ready) {
  const child = spawn(process.execPath, [join(outdir, 'bin.js'), ...argv], {
    env: { ...process.env, NODE_OPTIONS: '', APISERVER_COMPILE_CACHE: outdir },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text
    if (log.includes(ready)) child.kill()
  })
  await once(child, 'close')
  if (!log.includes(ready)) throw new Error(`${argv[0]} does not start: ${log}`)
}

/** The code caches of the server, which finds its store in a directory, and of etcd. */
async function compile() {
  const home = mkdtempSync(join(tmpdir(), 'apiserver-build-'))
  const url = `http://127.0.0.1:${await freePort()}`
  const flags = ['--bind-address=127.0.0.1', `--secure-port=${await freePort()}`, `--data-dir=${home}/data`, `--cert-dir=${home}/pki`]
  await compileOnce([...flags, '--authorization-mode=Node,RBAC'], 'serving on port')
  const etcd = [`--data-dir=${home}/etcd`, `--listen-client-urls=${url}`, `--advertise-client-urls=${url}`]
  await compileOnce(['etcd', ...etcd], 'ready to serve client requests')
  rmSync(home, { recursive: true, force: true })
}

/** Keeps the help of the programs that envtest starts (see start/kept-help.ts). */
function keepHelp() {
  const home = mkdtempSync(join(tmpdir(), 'apiserver-build-'))
  const texts = ['kube-apiserver', 'etcd'].map((name) => {
    symlinkSync(join(outdir, 'bin.js'), join(home, name))
    return [name, execFileSync(process.execPath, [join(home, name), '--help'], { env: { ...process.env, NODE_OPTIONS: '' } })]
  })
  mkdirSync(join(outdir, 'help'))
  for (const [name, text] of texts) writeFileSync(join(outdir, 'help', `${name}.txt`), text)
  rmSync(home, { recursive: true, force: true })
}

/** Builds everything in new files: those of an earlier build may be links that other checkouts share, and its code cache is useless. */
async function buildDaemon(stamp) {
  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(outdir, { recursive: true })
  const programDigests = {
    server: await buildProgram('runtimes/node/start/program.ts', 'server.js'),
    etcd: await buildProgram('runtimes/node/etcd/program.ts', 'etcd.js'),
  }
  await build({
    ...options,
    entryPoints: ['runtimes/node/bin.ts'],
    outfile: join(outdir, 'bin.js'),
    define: { buildStamp: JSON.stringify(stamp), programDigests: JSON.stringify(programDigests) },
  })
  chmodSync(join(outdir, 'bin.js'), 0o755)
  writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n')
  await compile()
  keepHelp()
}

const stamp = buildStamp(root)
await buildOnce({ what: 'the server', output: outdir, digest: join(outdir, 'sources.sha256'), salt: stamp.gitCommit }, () =>
  buildDaemon(stamp),
)
