/** Builds the self-contained executable. Runs under Bun: `bun runtimes/bun/compile.ts <target file>`. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { placeLogCalls } from '../log-callers.mjs'
import { buildStamp } from '../stamp.mjs'

/** The part of a plugin's builder that is used here. */
interface Builder {
  onLoad(where: { readonly filter: RegExp }, load: (file: { readonly path: string }) => Promise<object>): void
}

declare const Bun: {
  build(options: object): Promise<unknown>
}

const [, , target = 'apiserver'] = process.argv

const placedLogCalls = {
  name: 'placed-log-calls',
  setup: ({ onLoad }: Builder) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: placeLogCalls(await readFile(path, 'utf8'), path),
      loader: 'ts',
    })),
}

await Bun.build({
  plugins: [placedLogCalls],
  entrypoints: [fileURLToPath(new URL('bin.ts', import.meta.url))],
  compile: { outfile: target, autoloadDotenv: false, autoloadBunfig: false },
  define: { buildStamp: JSON.stringify(buildStamp(fileURLToPath(new URL('../..', import.meta.url)))) },
  bytecode: true,
  format: 'esm',
  // Code that few starts need, such as the etcd client and configuration file parsers, is loaded on demand.
  splitting: true,
  minify: { whitespace: true, syntax: true, identifiers: false, keepNames: true },
})
