/** The runtimes that the daemon runs on. What one of them can't do is named here, with the reason. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { bundle, type Command } from '../support/daemon.ts'
import { root } from '../support/root.ts'
import { runtimeBinary, without } from '../support/runtimes.ts'

export interface DaemonRuntime {
  readonly name: string
  /** Program and first arguments; call it in a hook, for it may have to build first. */
  readonly command: () => Command
  /** For tests: false, or why it can't be started here. */
  readonly skip: string | false
  /** Titles of features (features.ts) that it lacks, and why. A test fails when such a gap is closed. */
  readonly gaps: { readonly [feature: string]: string }
}

const executable = `${root}build/apiserver`

/** The executable that Bun compiles; test/run.mjs builds it anew. */
function compiled(): Command {
  if (!existsSync(executable)) execFileSync(runtimeBinary('bun') ?? '', ['runtimes/bun/compile.ts', executable], { cwd: root })
  return [executable]
}

export const node: DaemonRuntime = { name: 'Node', command: () => [process.execPath, bundle], skip: false, gaps: {} }

/** The Node that most people have; `node` is the oldest that is supported, or whatever runs the tests. */
export const node24: DaemonRuntime = {
  name: 'Node24',
  command: () => [runtimeBinary('node24') ?? '', bundle],
  skip: without('node24'),
  gaps: {},
}

export const bun: DaemonRuntime = { name: 'Bun', command: compiled, skip: without('bun'), gaps: {} }

export const deno: DaemonRuntime = {
  name: 'Deno',
  command: () => [runtimeBinary('deno') ?? '', 'run', '--allow-all', '--no-lock', bundle],
  skip: without('deno'),
  gaps: {},
}
