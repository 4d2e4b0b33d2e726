/** What the builds of executables have in common. */
import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../core/schema/message-of.ts'
import { bringRuntimes } from './bring.ts'
import { buildOnce } from './build-once.mjs'
import { type RuntimeName, runtimeBinary } from './locate.ts'
import { buildStamp } from './stamp.mjs'

/** Path of the checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** What a build of an executable prints at its end: path, size, and the command that starts it with the flags of `npm start`. */
function buildSummary(executable: string): string {
  const path = `./${relative(process.cwd(), executable)}`
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: { start: string } }
  const command = scripts.start.replace('exec node dist/bin/bin.js', path)
  return `${path}: ${Math.round(statSync(executable).size / 2 ** 20)} MiB. Start it:\n  ${command}`
}

/** Path of a runtime, which is installed if it is missing. Throws the reason when there is none. */
function runtimeFor(name: RuntimeName): string {
  const failure = runtimeBinary(name) === undefined ? bringRuntimes(root, [name]) : undefined
  if (failure !== undefined) throw new Error(failure)
  const path = runtimeBinary(name)
  if (path === undefined) throw new Error(`npm has no ${name} for this platform, and there is none on PATH`)
  return path
}

/**
 * Builds an executable at `target` with a runtime, unless the same sources were built there last. `compile` throws the reason of a failure, which is
 * printed; the exit status is then 1. `salt`: what else the result depends on.
 */
export async function buildExecutable(name: RuntimeName, target: string, compile: (runtime: string) => void, salt = ''): Promise<void> {
  const built = { what: 'the executable', output: target, digest: `${root}build/${name}.sha256` }
  try {
    await buildOnce({ ...built, salt: `${buildStamp(root).gitCommit} ${target} ${salt}` }, () => compile(runtimeFor(name)))
    console.log(buildSummary(target))
  } catch (error) {
    console.error(`error: ${messageOf(error)}`)
    process.exitCode = 1
  }
}
