/** The runtimes that the daemon runs on, each with its known gaps and their reasons. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { bundle, type Command } from '../support/daemon.ts'
import { root } from '../support/root.ts'
import { runtimeBinary, without } from '../support/runtimes.ts'

export interface DaemonRuntime {
  readonly name: string
  /** Program and first arguments; call it in a hook, because it may build first. */
  readonly command: () => Command
  /** Reason for skipping its tests, or false. */
  readonly skip: string | false
  /** Titles of features (features.ts) that this runtime lacks, with the reason. A test fails when such a gap is closed. */
  readonly gaps: { readonly [feature: string]: string }
}

const executable = `${root}build/apiserver`

/** The executable compiled by Bun; test/run.mjs builds it anew. */
function compiled(): Command {
  if (!existsSync(executable)) execFileSync(runtimeBinary('bun') ?? '', ['runtimes/bun/compile.ts', executable], { cwd: root })
  return [executable]
}

export const node: DaemonRuntime = { name: 'Node', command: () => [process.execPath, bundle], skip: false, gaps: {} }

const noUpgradesOnDeno = 'Deno has no upgraded connections over HTTP/1.1: its node:http hands over streams that deliver nothing'

/** Current Node LTS; `node` is the oldest supported version or the one that runs the tests. */
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
  gaps: {
    'watches over WebSockets': noUpgradesOnDeno,
    'upgraded connections as fast as permitted': noUpgradesOnDeno,
  },
}
