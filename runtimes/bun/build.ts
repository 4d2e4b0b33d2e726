/** `npm run build:binary [-- target file]`: one self-contained executable, by default `build/apiserver`. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { buildExecutable, root } from '../build-executable.ts'

const [, , target = `${root}build/apiserver`] = process.argv

await buildExecutable('bun', target, (bun) => {
  const compile = fileURLToPath(new URL('compile.ts', import.meta.url))
  const { status } = spawnSync(bun, [compile, target], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('the executable could not be compiled')
})
