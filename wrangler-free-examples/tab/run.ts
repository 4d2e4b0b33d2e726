/**
 * A cluster in a tab: the API server in a page, with its objects in IndexedDB. This bundles the page into a folder for any static file server, and
 * serves it. Once it was open, it opens without the server, too. One tab at a time has the cluster.
 * Needs: npm install --save-dev tsx esbuild yaml
 * Run it: npx tsx wrangler-free-examples/tab/run.ts [--build DIRECTORY] 8080
 * Then open http://127.0.0.1:8080. With --build it only writes the files. Pages on other hosts need https.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { build } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild')
const { values, positionals } = parseArgs({ allowPositionals: true, options: { build: { type: 'string' } } })
const directory = values.build ?? mkdtempSync(join(tmpdir(), 'tab-'))
const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

await build({
  entryPoints: [beside('tab.ts')],
  outfile: join(directory, 'tab.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  conditions: ['browser'],
  logLevel: 'warning',
})
for (const name of ['index.html', 'offline.js']) cpSync(beside(name), join(directory, name))

const types: { readonly [path: string]: readonly [name: string, type: string] } = {
  '/': ['index.html', 'text/html'],
  '/tab.js': ['tab.js', 'text/javascript'],
  '/offline.js': ['offline.js', 'text/javascript'],
}
if (values.build === undefined) {
  const [port = '8080'] = positionals
  const server = createServer(({ url = '/' }, response) => {
    const [name, type] = types[url] ?? []
    if (name === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(readFileSync(join(directory, name)))
  })
  server.listen(Number(port), '127.0.0.1', () => console.log(`serving on http://127.0.0.1:${port}`))
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      rmSync(directory, { recursive: true, force: true })
      process.exit()
    })
}
