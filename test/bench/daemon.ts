/** The daemon in a separate process, as users run it, and its administrator's credentials. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'

export interface BenchDaemon {
  readonly url: string
  readonly ca: string
  readonly cert: string
  readonly key: string
  readonly pid: number
  /** Milliseconds from exec to the first line that reports that it serves. */
  readonly startMilliseconds: number
  stop(): Promise<void>
}

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }]
}

const decode = (base64: string) => Buffer.from(base64, 'base64').toString()

/** Resolves to the first matching line on stderr. */
function lineOf(child: ChildProcess, pattern: RegExp): Promise<RegExpMatchArray> {
  return new Promise((resolve, reject) => {
    const lines: string[] = []
    createInterface({ input: child.stderr! }).on('line', (line) => {
      lines.push(line)
      const match = pattern.exec(line)
      if (match) resolve(match)
    })
    child.once('exit', () => reject(new Error(`daemon ended: ${lines.join('\n')}`)))
  })
}

/** NODE_EXTRA_CA_CERTS makes Node parse a CA bundle before anything else, 35 ms for that of a system, which is not part of a start. */
const { NODE_EXTRA_CA_CERTS: _extra, ...environment } = process.env

const built = [process.execPath, 'dist/bin/bin.js']

/** Starts the built daemon, or another one, on a free port; `flags` come last and take precedence. */
export async function startDaemon(
  port: number,
  flags: readonly string[] = [],
  [program = '', ...first]: readonly string[] = built,
): Promise<BenchDaemon> {
  const home = mkdtempSync(join(tmpdir(), 'apiserver-bench-'))
  const kubeconfig = join(home, 'kubeconfig')
  const began = performance.now()
  const child = spawn(
    program,
    [
      ...first,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--data-dir=${home}/data`,
      `--cert-dir=${home}/pki`,
      '--authorization-mode=Node,RBAC',
      `--write-kubeconfig=${kubeconfig}`,
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: environment },
  )
  await lineOf(child, /serving on port/)
  const startMilliseconds = performance.now() - began
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig
  const [{ cluster }] = clusters
  const [{ user }] = users
  return {
    url: cluster.server,
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
    pid: child.pid ?? 0,
    startMilliseconds,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const ticksPerSecond = 100

/** Seconds of processor time of a process so far, all threads included (proc(5): utime and stime, after the name in parentheses). */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Resident memory of a process in MiB. */
export function residentMemory(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1]) / 1024
}
