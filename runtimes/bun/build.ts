/** `npm run build:binary [-- target file]`: one self-contained executable, by default `build/apiserver`. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bringRuntimes } from '../bring.ts'
import { buildSummary } from '../build-summary.ts'
import { runtimeBinary } from '../locate.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [, , target = `${root}build/apiserver`] = process.argv

/** Returns the reason of a failure, or undefined. */
function build(): string | undefined {
  if (runtimeBinary('bun') === undefined) {
    const failure = bringRuntimes(root, ['bun'])
    if (failure !== undefined) return failure
  }
  const bun = runtimeBinary('bun')
  if (bun === undefined) return 'npm has no bun for this platform, and there is none on PATH'
  const compile = fileURLToPath(new URL('compile.ts', import.meta.url))
  const { status } = spawnSync(bun, [compile, target], { stdio: ['ignore', 'ignore', 'inherit'] })
  return status === 0 ? undefined : 'the executable could not be compiled'
}

const failure = build()
if (failure === undefined) {
  console.log(buildSummary(target))
} else {
  console.error(`error: ${failure}`)
  process.exitCode = 1
}
