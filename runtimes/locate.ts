/** Where the binaries of other runtimes are: in the packages for this platform that npm brings, or on PATH. */
import { accessSync, chmodSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url))
const on = `${process.platform}-${process.arch}`

/** Where each package has its binary; install scripts, which would link it, need not have run. */
const packaged = {
  bun: [`@oven/bun-${on}/bin/bun`, `@oven/bun-${on}-baseline/bin/bun`],
  deno: [`@deno/${on}-glibc/deno`, `@deno/${on}/deno`],
  workerd: [`@cloudflare/workerd-${process.platform}-${process.arch === 'x64' ? '64' : process.arch}/bin/workerd`],
} as const

export type RuntimeName = keyof typeof packaged

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The path of a runtime's binary, or undefined when it is not on this machine. */
export function runtimeBinary(name: RuntimeName): string | undefined {
  const brought = packaged[name].map((path) => join(modules, path)).find((path) => existsSync(path))
  if (brought !== undefined && !executable(brought)) chmodSync(brought, 0o755)
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name))
  return brought ?? onPath.find(executable)
}
