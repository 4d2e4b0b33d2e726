/** Finds the binaries of other runtimes: in npm's packages for this platform, or on PATH. */
import { chmodSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isExecutable, programOnPath } from './on-path.ts'

const on = `${process.platform}-${process.arch}`

/** Path of the binary inside each package, so that install scripts, which would link it, are not needed. */
const packaged = {
  bun: [`@oven/bun-${on}/bin/bun`, `@oven/bun-${on}-baseline/bin/bun`],
  deno: [`@deno/${on}-glibc/deno`, `@deno/${on}/deno`],
  workerd: [`@cloudflare/workerd-${process.platform}-${process.arch === 'x64' ? '64' : process.arch}/bin/workerd`],
  node24: [`node-${on}/bin/node`],
} as const

export type RuntimeName = keyof typeof packaged

/** This file's directory and its ancestors: a transpiled or bundled file is deeper below the checkout than its source. */
function* ancestors(from = dirname(fileURLToPath(import.meta.url))): Generator<string> {
  yield from
  if (dirname(from) !== from) yield* ancestors(dirname(from))
}

/** Path of a file in the nearest `node_modules` that contains it. */
export function installed(path: string): string | undefined {
  for (const directory of ancestors()) {
    const found = join(directory, 'node_modules', path)
    if (existsSync(found)) return found
  }
  return undefined
}

/** Path of a runtime's binary; undefined when it is not installed. */
export function runtimeBinary(name: RuntimeName): string | undefined {
  const brought = packaged[name].map(installed).find((path) => path !== undefined)
  if (brought !== undefined && !isExecutable(brought)) chmodSync(brought, 0o755)
  return brought ?? programOnPath(name)
}
