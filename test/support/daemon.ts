/** The daemon as a child process, as a user starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { killedAtExit } from './child.ts'
import { freePort } from './free-port.ts'
import { root } from './root.ts'
import { temporaryDirectory } from './temporary.ts'
import { type ClientFiles, type Fetch, tlsFetch } from './tls-fetch.ts'
import { within } from './wait.ts'

/** Built by `test/run.mjs` before the tests. */
export const bundle = join(root, 'dist/bin/bin.js')
const nodeCommand: Command = [process.execPath, bundle]
/** Serves etcd's API. */
export const ownEtcd: Command = [...nodeCommand, 'etcd']
/** Its workers fail when they are told to: see there. */
export const withEndingWorkers: Command = [process.execPath, '--require', join(root, 'test/support/ending-worker.cjs'), bundle]

/** A program and its first arguments. */
export type Command = readonly [program: string, ...args: string[]]

export interface DaemonOptions {
  /** Default: the bundle with this Node. */
  readonly command?: Command
  /** Holds data, certificates and the kubeconfig; default: a temporary directory, removed when the daemon stops. */
  readonly directory?: string
  /** Additional flags; a later flag takes precedence. */
  readonly flags?: readonly string[]
  /** Variables of its environment, besides those of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** Address at which this process reaches it; default: 127.0.0.1. */
  readonly host?: string
}

export interface Daemon {
  readonly host: string
  readonly port: number
  /** Such as `https://127.0.0.1:6443`. */
  readonly url: string
  readonly kubeconfig: string
  readonly pid: number
  /** Requests as administrator; paths start with a slash. */
  readonly fetch: Fetch
  /** Standard error so far. */
  log(): string
  /** All output so far. */
  output(): string
  /** Exit status, when the process has ended. */
  ended(): Promise<number | null>
  /** Sends a signal (default SIGTERM) and waits for the exit. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  return output
}

/** Most flags of `npm start`, with all files in a directory. */
const usualFlags = (directory: string, port: number) => [
  `--secure-port=${port}`,
  '--bind-address=127.0.0.1',
  `--data-dir=${join(directory, 'data')}`,
  `--cert-dir=${join(directory, 'pki')}`,
  `--write-kubeconfig=${join(directory, 'kubeconfig')}`,
  '--authorization-mode=Node,RBAC',
]

/** Starts a daemon and resolves when it serves. */
export async function startDaemon({
  command = nodeCommand,
  directory,
  flags = [],
  env = {},
  host = '127.0.0.1',
}: DaemonOptions = {}): Promise<Daemon> {
  const temporary = directory === undefined ? temporaryDirectory() : undefined
  const home = directory ?? temporary?.path ?? ''
  const port = await freePort()
  const [program, ...args] = command
  const argv = [...args, ...usualFlags(home, port), ...flags]
  const child = killedAtExit(spawn(program, argv, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }))
  const output = collect(child)
  const ended = once(child, 'close')
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', () => {
      if (output.stderr.includes('serving on port')) resolve()
    })
    ended.then(([code, signal]) => reject(new Error(`the daemon ended (${code ?? signal}): ${output.stderr}`)), reject)
  })
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    client?.close()
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await within('end of the daemon', ended).catch((error: unknown) => {
      child.kill('SIGKILL')
      throw error
    })
    temporary?.remove()
  }
  let client: ReturnType<typeof tlsFetch> | undefined
  try {
    await within('start of the daemon', ready)
  } catch (error) {
    await stop('SIGKILL').catch(() => undefined)
    throw error
  }
  const kubeconfig = join(home, 'kubeconfig')
  const url = `https://${host}:${port}`
  client = tlsFetch(url, readCredentials(kubeconfig))
  return {
    host,
    port,
    url,
    kubeconfig,
    pid: child.pid ?? 0,
    fetch: client.fetch,
    log: () => output.stderr,
    output: () => output.stdout + output.stderr,
    ended: async () => ((await within('end of the daemon', ended)) as [number | null])[0],
    stop,
  }
}

/** The PEM texts in a kubeconfig written by the daemon. */
export function readCredentials(kubeconfig: string): ClientFiles {
  const text = readFileSync(kubeconfig, 'utf8')
  const pem = (field: string) => {
    const [, data] = new RegExp(`${field}: (\\S+)`).exec(text) ?? []
    if (data === undefined) throw new Error(`${kubeconfig}: no ${field}`)
    return Buffer.from(data, 'base64').toString()
  }
  return { ca: pem('certificate-authority-data'), cert: pem('client-certificate-data'), key: pem('client-key-data') }
}

/** Runs the program with only these flags until it exits. */
export async function runProgram(
  flags: readonly string[],
  [program, ...args]: Command = nodeCommand,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(program, [...args, ...flags], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collect(child)
  const ended = once(child, 'close')
  try {
    const [code] = (await within(`end of the program with ${flags.join(' ')}`, ended)) as [number]
    return { code, ...output }
  } finally {
    child.kill('SIGKILL')
  }
}
