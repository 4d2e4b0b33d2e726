/** A KMS plugin for tests: a gRPC server on a unix socket, in a separate process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { killedAtExit } from './child.ts'
import type { Behaviour } from './kms-plugin-process.ts'
import { nodeArguments } from './root.ts'
import { temporaryDirectory } from './temporary.ts'
import { within } from './wait.ts'

const program = nodeArguments(new URL('kms-plugin-process.ts', import.meta.url))

export interface KmsPlugin {
  /** Endpoint for configuration files. */
  readonly endpoint: string
  /** Changes the behaviour; resolves when it is in effect. */
  behave(behaviour: Behaviour): Promise<void>
  /** Number of calls so far, by full method name without the leading slash. */
  calls(method: string): Promise<number>
  /** Resets behaviour and call counts. */
  reset(): Promise<void>
  /** Kills the process, as in a crash. */
  kill(): Promise<void>
  /** Stops the process after its pending calls. */
  end(): Promise<void>
  /** Restarts it on the same socket. */
  start(): Promise<void>
  stop(): Promise<void>
}

type Report = { readonly calls: { readonly [path: string]: number } }

export async function startKmsPlugin(): Promise<KmsPlugin> {
  const directory = temporaryDirectory('kms')
  const socket = join(directory.path, 'kms.sock')
  let child: ChildProcess | undefined

  async function ask(message: object): Promise<Report> {
    if (child === undefined) throw new Error('the plugin does not run')
    const answer = within('answer of the plugin', once(child, 'message'))
    child.send(message)
    const [report] = (await answer) as [Report]
    return report
  }

  async function start(): Promise<void> {
    rmSync(socket, { force: true })
    child = killedAtExit(spawn(process.execPath, [...program, socket], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
    await within('start of the plugin', once(child, 'message'))
  }

  async function stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null) return
    const ended = once(running, 'exit')
    running.kill(signal)
    await within('end of the plugin', ended)
  }
  const kill = () => stop('SIGKILL')

  await start()
  return {
    endpoint: `unix://${socket}`,
    behave: async (behave) => void (await ask({ behave })),
    calls: async (method) => (await ask({})).calls[`/${method}`] ?? 0,
    reset: async () => void (await ask({ reset: true })),
    kill,
    end: () => stop('SIGTERM'),
    start,
    async stop() {
      await kill()
      directory.remove()
    },
  }
}
