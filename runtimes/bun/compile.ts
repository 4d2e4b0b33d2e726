/** Builds the self-contained executable. Runs under Bun: `bun runtimes/bun/compile.ts <target file>`. */
import { fileURLToPath } from 'node:url'
import { buildStamp } from '../stamp.mjs'

declare const Bun: {
  build(options: object): Promise<unknown>
}

const [, , target = 'apiserver'] = process.argv

await Bun.build({
  entrypoints: [fileURLToPath(new URL('bin.ts', import.meta.url))],
  compile: { outfile: target, autoloadDotenv: false, autoloadBunfig: false },
  define: { buildStamp: JSON.stringify(buildStamp(fileURLToPath(new URL('../..', import.meta.url)))) },
  bytecode: true,
  format: 'esm',
  // Code that few starts need, such as the etcd client and configuration file parsers, is loaded on demand.
  splitting: true,
  minify: { whitespace: true, syntax: true, identifiers: false, keepNames: true },
})
