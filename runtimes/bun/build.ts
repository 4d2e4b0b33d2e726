/** `npm run build:binary [-- target file]`: one executable with everything in it, by default `build/apiserver`. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runtimeBinary } from '../locate.ts'

const [, , target = fileURLToPath(new URL('../../build/apiserver', import.meta.url))] = process.argv
const bun = runtimeBinary('bun')
if (bun === undefined) {
  console.error('error: no bun for this platform in node_modules or on PATH')
  process.exitCode = 1
} else {
  const compile = fileURLToPath(new URL('compile.ts', import.meta.url))
  process.exitCode = spawnSync(bun, [compile, target], { stdio: 'inherit' }).status ?? 1
}
