/** etcd for tests: Debian's `etcd-server`, one process per member, on free ports, with its data in a temporary directory. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { killedAtExit } from './child.ts'
import type { Command } from './daemon.ts'
import { freePort } from './free-port.ts'
import { temporaryDirectory } from './temporary.ts'
import { eventually, within } from './wait.ts'

export interface EtcdTls {
  /** PEM files. Clients must present a certificate of this CA. */
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

export interface EtcdOptions {
  /** The program and its first arguments; default: Debian's etcd. */
  readonly command?: Command
  /** Default 1. */
  readonly members?: number
  readonly tls?: EtcdTls
  readonly flags?: readonly string[]
}

export interface EtcdMember {
  /** URL for clients. */
  readonly url: string
  /** Sends a signal; waits for the exit or, on Linux, until the process is stopped. */
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Restarts it with its data; resolves when it answers. */
  start(): Promise<void>
  /** Removes all data of a stopped member. */
  wipe(): void
  /** Copies the data of a stopped member to, or from, another directory. */
  save(directory: string): void
  restore(directory: string): void
  isLeader(): Promise<boolean>
  /** Value of a metric without labels. */
  metric(name: string): Promise<number>
}

export interface Etcd {
  readonly servers: readonly string[]
  readonly members: readonly EtcdMember[]
  leader(): Promise<EtcdMember>
  stop(): Promise<void>
}

interface Address {
  readonly name: string
  readonly client: string
  readonly peer: string
  readonly metrics: string
}

async function addressOf(index: number, scheme: string): Promise<Address> {
  const [client, peer, metrics] = await Promise.all([freePort(), freePort(), freePort()])
  return {
    name: `m${index}`,
    client: `${scheme}://127.0.0.1:${client}`,
    peer: `http://127.0.0.1:${peer}`,
    metrics: `http://127.0.0.1:${metrics}`,
  }
}

/** States of its threads in /proc (proc(5)); `T`: stopped, which may take effect after `kill` returns. */
function threadStates({ pid }: ChildProcess): string[] {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.map((thread) => /^.*\) (\S)/s.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1] ?? '')
}

/** Short timeouts: a single member needs no time for elections. */
const timings = (members: number) =>
  members === 1 ? ['--heartbeat-interval=10', '--election-timeout=100'] : ['--heartbeat-interval=50', '--election-timeout=500']

function memberOf(address: Address, dataDir: string, [program, ...argv]: Command): EtcdMember {
  let child: ChildProcess | undefined
  let log = ''
  const fetchText = async (path: string) => (await fetch(address.metrics + path, { signal: AbortSignal.timeout(1_000) })).text()
  const read = (path: string) => within(`${path} of etcd ${address.name}`, fetchText(path), 2_000)
  const metric = async (name: string) => {
    const lines = (await read('/metrics')).split('\n')
    return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length))
  }

  return {
    url: address.client,
    wipe: () => rmSync(dataDir, { recursive: true, force: true }),
    save: (directory) => cpSync(dataDir, directory, { recursive: true }),
    restore(directory) {
      rmSync(dataDir, { recursive: true, force: true })
      cpSync(directory, dataDir, { recursive: true })
    },
    async signal(signal) {
      const signalled = child
      if (signalled === undefined) return
      const ended = once(signalled, 'close')
      signalled.kill(signal)
      if (signal === 'SIGSTOP' && process.platform === 'linux')
        await eventually(`etcd ${address.name} stands still`, async () => threadStates(signalled).every((state) => state === 'T'))
      if (signal === 'SIGSTOP' || signal === 'SIGCONT') return
      await within(`end of etcd ${address.name}`, ended)
      child = undefined
    },
    async start() {
      const started = killedAtExit(spawn(program, argv, { stdio: ['ignore', 'ignore', 'pipe'] }))
      child = started
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-10_000)
      })
      await eventually(`etcd ${address.name} is healthy`, async () => {
        if (started.exitCode !== null) throw new Error(`etcd ended: ${log}`)
        return (await read('/health')).includes('"true"')
      })
    },
    metric,
    isLeader: async () => (await metric('etcd_server_is_leader')) === 1,
  }
}

/** Starts a cluster and resolves when all members are healthy. */
export async function startEtcd({ command = ['etcd'], members: count = 1, tls, flags = [] }: EtcdOptions = {}): Promise<Etcd> {
  const directory = temporaryDirectory('etcd')
  const addresses = await Promise.all(Array.from({ length: count }, (_, i) => addressOf(i, tls ? 'https' : 'http')))
  const cluster = addresses.map(({ name, peer }) => `${name}=${peer}`).join(',')
  const members = addresses.map((address) => {
    const dataDir = join(directory.path, address.name)
    return memberOf(address, dataDir, [
      ...command,
      `--name=${address.name}`,
      `--data-dir=${dataDir}`,
      `--listen-client-urls=${address.client}`,
      `--advertise-client-urls=${address.client}`,
      `--listen-peer-urls=${address.peer}`,
      `--initial-advertise-peer-urls=${address.peer}`,
      `--listen-metrics-urls=${address.metrics}`,
      `--initial-cluster=${cluster}`,
      '--log-level=error',
      ...timings(count),
      ...(tls ? [`--cert-file=${tls.certFile}`, `--key-file=${tls.keyFile}`, `--trusted-ca-file=${tls.caFile}`, '--client-cert-auth'] : []),
      ...flags,
    ])
  })
  const stop = async () => {
    await Promise.all(members.map(({ signal }) => signal('SIGKILL')))
    directory.remove()
  }
  try {
    await Promise.all(members.map(({ start }) => start()))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    servers: members.map(({ url }) => url),
    members,
    stop,
    // On a busy machine several elections may fail before one succeeds.
    leader: () =>
      eventually('a leader', async () => {
        for (const member of members) if (await member.isLeader().catch(() => false)) return member
        return undefined
      }),
  }
}
