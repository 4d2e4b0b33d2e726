/** Servers to measure: this one, kube-apiserver with etcd, or one that runs already. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { programPath } from '../../cluster/programs.ts'
import { killedAtExit } from '../../support/child.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { Client, Connections, type Server } from './client.ts'

export interface MeasuredServer extends Server {
  readonly name: string
  /** Its processes, with their names; empty when they are not known. */
  readonly processes: readonly { readonly name: string; readonly pid: number }[]
  /** Absent: the server can't tell. */
  readonly probe?: Probe
  /** Saves the store to a new file. */
  save?(file: string): Promise<void>
  stop(): Promise<void>
}

export type Memory = Pick<NodeJS.MemoryUsage, 'heapUsed' | 'external' | 'rss'>

const preloaded = fileURLToPath(new URL('../probe.mjs', import.meta.url))

/** What a server under measurement tells about itself. */
export interface Probe {
  /** Memory after a collection of garbage, in bytes. */
  memory(): Promise<Memory>
  /** Begins to observe the event loop; `profile`: a file for a processor profile of that time. */
  begin(profile?: string): void
  end(): Promise<Observed>
}

/** Times are in milliseconds, those of stalls in microseconds of the profile's clock. */
export interface Observed {
  /** How late the event loop was. */
  readonly delay: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Collections of garbage: the longest, and their share of the time. */
  readonly collections: { readonly longest: number; readonly share: number }
  /** When the event loop did not turn, while the process used the processor for `busy` (50 or more) milliseconds. */
  readonly stalls: readonly { readonly from: number; readonly to: number; readonly busy: number }[]
}

function probeOf(child: ChildProcess): Probe {
  let last: Promise<unknown> = Promise.resolve()
  /** One message at a time: answers do not say what they answer. */
  const inTurn = <T>(work: () => T | Promise<T>): Promise<T> => {
    const told = last.then(work)
    last = told.catch(() => {})
    return told
  }
  const ask = <T>(question: string): Promise<T> =>
    inTurn(async () => {
      const answer = once(child, 'message')
      child.send(question)
      return ((await answer) as [T])[0]
    })
  return {
    memory: () => ask('memory'),
    begin: (profile) => void inTurn(() => child.send({ ask: 'begin', profile })),
    end: () => ask('end'),
  }
}

/**
 * The flags that both servers take. A cluster of this size needs more service addresses than the default range has, and the load does not open
 * its watches again: they last longer than it.
 */
const common = [
  '--min-request-timeout=14400',
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  '--service-cluster-ip-range=10.96.0.0/12',
]

const program = 'dist/bin/bin.js'
const run = promisify(execFile)

export interface ServerOptions {
  readonly flags?: readonly string[]
  /** Flags of the etcd behind kube-apiserver. */
  readonly etcdFlags?: readonly string[]
  /** Flags of Node for this server. */
  readonly nodeFlags?: readonly string[]
  /** A snapshot of the store that this server starts with, if the file exists. */
  readonly snapshot?: string | undefined
}

/** The given flags come last. */
export async function startServer(
  kind: 'this' | 'reference',
  { flags = [], etcdFlags = [], nodeFlags = [], snapshot }: ServerOptions = {},
): Promise<MeasuredServer> {
  const home = temporaryDirectory('cluster-bench')
  const [port, token] = [await freePort(), crypto.randomUUID()]
  const file = (name: string, text: string) => {
    writeFileSync(join(home.path, name), text, { mode: 0o600 })
    return join(home.path, name)
  }
  const tokens = file('tokens.csv', `${token},bench,bench,"system:masters"\n`)
  const all = ['--bind-address=127.0.0.1', `--secure-port=${port}`, `--token-auth-file=${tokens}`, `--cert-dir=${home.path}/pki`, ...common]
  const children: { readonly name: string; readonly child: ChildProcess }[] = []
  const start = (name: string, program: string, argv: readonly string[]) => {
    const log = openSync(join(home.path, `${name}.log`), 'a')
    children.push({ name, child: killedAtExit(spawn(program, argv, { stdio: ['ignore', log, log, 'ipc'] })) })
  }
  if (kind === 'this') {
    const data = `--data-dir=${home.path}/data`
    if (snapshot && existsSync(snapshot)) await run(process.execPath, [program, 'snapshot', 'restore', snapshot, data])
    const own = ['--platform=kubernetes', data, ...all, ...flags]
    start('apiserver', process.execPath, ['--expose-gc', '--import', preloaded, ...nodeFlags, program, ...own])
  } else {
    const etcdPort = await freePort()
    const peers = `http://127.0.0.1:${await freePort()}`
    const etcd = `http://127.0.0.1:${etcdPort}`
    start('etcd', 'etcd', [
      `--data-dir=${home.path}/etcd`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
      '--quota-backend-bytes=8589934592',
      '--log-level=error',
      ...etcdFlags,
    ])
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    start('kube-apiserver', programPath('kube-apiserver') ?? 'kube-apiserver', [
      `--etcd-servers=${etcd}`,
      '--service-account-issuer=https://issuer.example',
      `--service-account-signing-key-file=${file('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())}`,
      `--service-account-key-file=${file('sa.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
      ...all,
      ...flags,
    ])
  }
  const server = { url: `https://127.0.0.1:${port}`, token }
  const ended = Promise.race(
    children.map(async ({ name, child }) => {
      await once(child, 'exit')
      throw new Error(`${name} ended; see ${home.path}`)
    }),
  )
  ended.catch(() => {})
  await Promise.race([ended, untilReady(server)])
  return {
    ...server,
    name: kind === 'this' ? 'this server' : 'kube-apiserver',
    processes: children.map(({ name, child }) => ({ name, pid: child.pid ?? 0 })),
    ...(kind === 'this' && {
      probe: probeOf(children[0]!.child),
      async save(file) {
        await run(process.execPath, [program, 'snapshot', 'save', file, `--data-dir=${home.path}/data`])
      },
    }),
    async stop() {
      for (const { child } of children.toReversed()) {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
        await exited
        clearTimeout(timer)
      }
      home.remove()
    },
  }
}

/** Resolves when the server answers that it is ready. */
export async function untilReady(server: Server): Promise<void> {
  for (;;) {
    const connections = new Connections(server.url)
    try {
      await connections.open()
      if ((await new Client(connections, server).call('GET', '/readyz')).status === 200) return
    } catch {
      // Not listening yet.
    } finally {
      connections.close()
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
