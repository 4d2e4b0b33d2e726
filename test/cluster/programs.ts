/** Kubernetes' own programs, which are not in this repository: looked for in KUBERNETES_BIN and on PATH. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { isExecutable, programOnPath } from '../../runtimes/on-path.ts'
import { killedAtExit } from '../support/child.ts'
import { within } from '../support/wait.ts'

export type ProgramName = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubemark' | 'sample-apiserver'

export const components: readonly ProgramName[] = ['kube-controller-manager', 'kube-scheduler', 'kubemark']

/** Path of a program; undefined when it is not installed. */
export function programPath(name: ProgramName): string | undefined {
  const { KUBERNETES_BIN: folder = '' } = process.env
  return folder !== '' && isExecutable(join(folder, name)) ? join(folder, name) : programOnPath(name)
}

export interface Program {
  /** Ends it: SIGTERM, then SIGKILL. */
  stop(): Promise<void>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Exit status when it has ended by itself. */
  readonly ended: Promise<number | null>
}

/** Starts a program with its output in a file. */
export function startProgram(path: string, flags: readonly string[], log: string): Program {
  const output = openSync(log, 'a')
  const child: ChildProcess = killedAtExit(spawn(path, flags, { stdio: ['ignore', output, output] }))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    ended,
    async kill() {
      child.kill('SIGKILL')
      await within(`end of ${path}`, ended)
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await within(`end of ${path}`, ended, 10_000).catch(() => {
        child.kill('SIGKILL')
        return ended
      })
    },
  }
}
