/**
 * `npm run build:deno [-- target file]`: one executable by `deno compile`, by default `build/apiserver-deno`. It contains Deno's
 * runtime for executables (denort), which deno downloads unless the variable DENORT_BIN contains its path.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runtimeBinary } from '../locate.ts'

const [, , target = fileURLToPath(new URL('../../build/apiserver-deno', import.meta.url))] = process.argv
const deno = runtimeBinary('deno')
if (deno === undefined) {
  console.error('error: no deno for this platform in node_modules or on PATH')
  process.exitCode = 1
} else {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const options = ['--allow-all', '--no-check', '--output', target]
  const { status, stderr } = spawnSync(deno, ['compile', ...options, 'runtimes/deno/bin.ts'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  if (status !== 0) {
    const hint = process.env['DENORT_BIN'] ? '' : '; or set DENORT_BIN to the path of a denort binary of the same version'
    // Deno's error names only the step; its cause names the reason.
    const reason = /^ +1: (.*)$/m.exec(stderr)?.[1] ?? /^error: (.*)$/m.exec(stderr)?.[1] ?? stderr.trim()
    console.error(`error: deno compile: ${reason}${hint}`)
  }
  process.exitCode = status ?? 1
}
