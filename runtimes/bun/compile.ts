/** Makes the self-contained executable. Runs under Bun: `bun runtimes/bun/compile.ts <target file>`. */
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
  // What few starts need, such as clients of etcd and readers of configuration files, is loaded when it is needed.
  splitting: true,
  minify: { whitespace: true, syntax: true, identifiers: false, keepNames: true },
})
