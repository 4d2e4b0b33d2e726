/** `apiserver etcd`: a server of etcd's API, from its command line to its end. */
import { appendFileSync, existsSync, readdirSync } from 'node:fs'
import { FlagError } from '../../../core/flags/flag.ts'
import type { Logger } from '../../../core/ports.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { reasonOf } from '../../atomic-file.ts'
import { clusterVersion, version } from '../../etcd-server/member.ts'
import { type EtcdServer, openEtcdServer, type PortOptions } from '../../etcd-server/server.ts'
import { openDurableEngine } from '../../stores/durable.ts'
import { Engine } from '../../stores/engine.ts'
import { History } from '../../stores/history.ts'
import { logNames } from '../../stores/log/names.ts'
import { keepRunning, nodeClock } from '../clock.ts'
import { type CipherSuite, cipherOption } from '../http/tls.ts'
import { jsonFormat } from '../log/formats.ts'
import { createLog } from '../log/logger.ts'
import { type LogOutput, oneStream } from '../log/output.ts'
import { Verbosity } from '../log/verbosity.ts'
import { aborted, endingSignal } from '../start/ending-signal.ts'
import { inMemory } from '../start/in-memory.ts'
import { nodeFiles } from '../start/ports.ts'
import { readPath } from '../start/read-path.ts'
import { type EtcdFlagName, type EtcdFlags, parseEtcdFlags } from './flags.ts'

const defaultQuota = 2 * 1024 ** 3
/** Milliseconds to wait for the data directory of a server that is ending. */
const ownerTimeout = 5_000
/** Bytes of replaced values beyond which the oldest are compacted, although no client asks for it. */
const pastBytes = 8 * 1024 ** 3

/** Severities that are logged, by the value of --log-level. */
const silenced: { readonly [level: string]: readonly (keyof Logger)[] } = {
  warn: ['info'],
  error: ['info', 'warn'],
  panic: ['info', 'warn', 'error'],
  fatal: ['info', 'warn', 'error'],
}

/** Verbosity of debug messages. */
const debugVerbosity = 4

function loggerOf(flags: EtcdFlags): Logger {
  const level = flags.get('log-level')
  const verbosity = new Verbosity(level === 'debug' ? debugVerbosity : 0)
  const logger = createLog({ format: jsonFormat(), output: outputOf(flags.get('log-outputs')), verbosity, now: nodeClock.now })
  return { ...logger, ...Object.fromEntries((silenced[level] ?? []).map((severity) => [severity, () => {}])) }
}

/** Each line to all of the named outputs. */
function outputOf(names: readonly string[]): LogOutput {
  const writes = names.map((name) => {
    if (name === 'default' || name === 'stderr') return (line: string) => oneStream.write(line, true)
    if (name === 'stdout') return (line: string) => void process.stdout.write(line)
    return (line: string) => {
      try {
        appendFileSync(name, line)
      } catch (error) {
        throw new FlagError(`--log-outputs: ${name}: ${reasonOf(error)}`)
      }
    }
  })
  return { write: (line) => writes.forEach((write) => void write(line)), flush: () => {} }
}

/** @throws FlagError when the flags want a larger cluster, or to join one. */
function checkCluster(flags: EtcdFlags, hasStore: boolean): void {
  const members = flags.get('initial-cluster')
  const names = new Set(members.split(',').flatMap((member) => (member === '' ? [] : [member.split('=')[0]])))
  if (names.size > 1)
    throw new FlagError(`--initial-cluster: ${names.size} members: this server can only be the only member of its cluster`)
  const name = flags.get('name')
  if (names.size === 1 && !names.has(name))
    throw new FlagError(`--initial-cluster: no member has this server's name, ${JSON.stringify(name)}`)
  if (flags.get('initial-cluster-state') === 'existing' && !hasStore)
    throw new FlagError('--initial-cluster-state: existing: the data directory has no store, and this server can not join a cluster')
}

/** @throws FlagError when the directory has data of etcd. */
function checkDirectory(path: string): boolean {
  const names = path !== inMemory && existsSync(path) ? readdirSync(path) : []
  if (names.includes('member'))
    throw new FlagError(
      `--data-dir: ${path}: has data of etcd; save it with etcdctl snapshot save FILE, and restore it into another directory with apiserver snapshot restore FILE`,
    )
  return logNames(names).segments.length > 0
}

type TlsOptions = NonNullable<PortOptions['tls']>

function tlsOf(flags: EtcdFlags): TlsOptions | undefined {
  const [cert, key, clientCa] = tlsFiles.map((flag) => fileOf(flags, flag))
  if (flags.get('client-cert-auth') && clientCa === undefined) throw new FlagError('--client-cert-auth: needs --trusted-ca-file')
  if ((cert === undefined) !== (key === undefined)) throw new FlagError('--cert-file and --key-file: only both')
  if (cert === undefined || key === undefined) return undefined
  const versions = { '': undefined, 'TLS1.2': 'TLSv1.2', 'TLS1.3': 'TLSv1.3' } as const
  const [minVersion, maxVersion] = [versions[flags.get('tls-min-version')], versions[flags.get('tls-max-version')]]
  const ciphers = cipherOption('VersionTLS12', flags.get('cipher-suites') as readonly CipherSuite[])
  return { cert, key, clientCa, ciphers, ...(minVersion && { minVersion }), ...(maxVersion && { maxVersion }) }
}

const tlsFiles = ['cert-file', 'key-file', 'trusted-ca-file'] as const

/** Reads certificates again when a file changes, as etcd does; unusable ones leave those that are used. Returns what ends it. */
function followCertificates(flags: EtcdFlags, server: EtcdServer, logger: Logger): () => void {
  const reload = () => {
    try {
      const tls = tlsOf(flags)
      if (tls !== undefined) server.reload(tls)
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'certificates not read again')
    }
  }
  const paths = tlsFiles.map((flag) => flags.get(flag)).filter((path) => path !== '')
  const ends = paths.map((path) => nodeFiles.watch(path, reload))
  return () => ends.forEach((end) => void end())
}

function fileOf(flags: EtcdFlags, flag: (typeof tlsFiles)[number]): string | undefined {
  const path = flags.get(flag)
  return path === '' ? undefined : readPath(flag, path)
}

type UrlFlag = 'listen-client-urls' | 'listen-client-http-urls' | 'listen-metrics-urls'

function portsOf(flags: EtcdFlags): readonly (PortOptions & { readonly flag: UrlFlag })[] {
  const tls = tlsOf(flags)
  const all = [
    ['listen-client-urls', 'clients'],
    ['listen-client-http-urls', 'pages'],
    ['listen-metrics-urls', 'pages'],
  ] as const
  return all.flatMap(([flag, serves]) =>
    flags.get(flag).map((text) => {
      const { protocol, hostname, port } = new URL(text)
      const isSecure = protocol === 'https:'
      if (isSecure && tls === undefined) throw new FlagError(`--${flag}: ${text}: needs --cert-file and --key-file`)
      const number = port === '' ? (isSecure ? 443 : 80) : Number(port)
      return { flag, serves, host: hostname.replace(/^\[(.*)\]$/, '$1'), port: number, tls: isSecure ? tls : undefined }
    }),
  )
}

/** Starts the server; rejects with a one-line error that names the flag that it is about. */
export async function startEtcd(flags: EtcdFlags, logger: Logger): Promise<EtcdServer> {
  const directory = flags.get('data-dir') || `${flags.get('name')}.etcd`
  checkCluster(flags, checkDirectory(directory))
  const ports = portsOf(flags)
  const quota = flags.get('quota-backend-bytes')
  const retention = flags.get('auto-compaction-retention')
  const mode = flags.get('auto-compaction-mode')
  const kept = mode === 'revision' ? (retention.number ?? 0) : retention.milliseconds
  const interval = flags.get('experimental-watch-progress-notify-interval') ?? flags.get('watch-progress-notify-interval')
  const engine = await openEngine(flags, directory, logger)
  try {
    return await openEtcdServer({
      engine,
      logger,
      name: flags.get('name'),
      peerUrls: flags.get('initial-advertise-peer-urls'),
      clientUrls: flags.get('advertise-client-urls'),
      clusterToken: flags.get('initial-cluster-token'),
      maxTxnOps: flags.get('max-txn-ops'),
      maxRequestBytes: flags.get('max-request-bytes'),
      quotaBytes: quota === 0 ? defaultQuota : quota < 0 ? Number.POSITIVE_INFINITY : quota,
      progressInterval: interval,
      minLeaseSeconds: minLeaseSeconds(flags),
      maxConcurrentStreams: flags.get('max-concurrent-streams'),
      ports,
      attachIn: directory === inMemory ? undefined : directory,
      ...(kept > 0 && { compaction: { mode, retention: kept } }),
    })
  } catch (error) {
    await engine.close()
    throw namingPort(error, ports)
  }
}

/** As etcd has it: an and a half times the time of an election, in whole heartbeats. */
function minLeaseSeconds(flags: EtcdFlags): number {
  const heartbeat = flags.get('heartbeat-interval')
  const ticks = Math.floor(flags.get('election-timeout') / heartbeat)
  return Math.ceil((Math.floor((3 * ticks) / 2) * heartbeat) / 1000)
}

async function openEngine(flags: EtcdFlags, directory: string, logger: Logger): Promise<Engine<History>> {
  if (directory === inMemory) return new Engine({ clock: nodeClock, history: new History() })
  const synced = !flags.get('unsafe-no-fsync')
  return openDurableEngine({ directory, ownerTimeout, clock: nodeClock, logger, keys: 'latin1', synced, pastBytes })
}

function namingPort(error: unknown, ports: readonly { readonly flag: EtcdFlagName; readonly host: string; readonly port: number }[]) {
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  const at = ports.find((each) => each.port === port) ?? ports[0]
  if (at === undefined) return error
  if (code === 'EADDRINUSE') return new FlagError(`--${at.flag}: port ${port} of ${address} is in use by another process`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new FlagError(`--${at.flag}: ${at.host}: no interface of this host has this address`)
  if (code === 'EACCES') return new FlagError(`--${at.flag}: no permission to listen on port ${port}`)
  return error
}

/** Runs until SIGINT or SIGTERM; resolves to the exit status. Calls `serves` when it is ready. Rejects with a one-line error. */
export async function runEtcd(argv: readonly string[], serves: () => void): Promise<number> {
  const flags = parseEtcdFlags(argv, process.env)
  if (flags.get('version')) {
    process.stdout.write(`etcd Version: ${version}\netcd Cluster Version: ${clusterVersion}\n`)
    return 0
  }
  const ending = endingSignal()
  const end = keepRunning()
  try {
    const logger = loggerOf(flags)
    const server = await startEtcd(flags, logger)
    const stopFollowing = followCertificates(flags, server, logger)
    logger.info({ name: flags.get('name'), ports: server.ports }, 'ready to serve client requests')
    serves()
    await aborted(ending)
    stopFollowing()
    await server.close()
    return 0
  } finally {
    end()
  }
}
