/** A running server from a parsed command line. */
import { dirname } from 'node:path'
import { flagConflicts } from '../../../core/flags/exclusions.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import { gatesOfFlags } from '../../../core/flags/gates.ts'
import { headerWarnings } from '../../../core/flags/header-warnings.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { hostPort } from '../../../core/outgoing/url-parts.ts'
import type { Logger, OpenStores } from '../../../core/ports.ts'
import { type ApiServer, prepareApiServer } from '../../../core/server.ts'
import { reasonOf } from '../../atomic-file.ts'
import { canSharePorts, sharingWarnings } from '../http/port-sharing.ts'
import { logOfFlags } from '../log/options.ts'
import type { LogOutput } from '../log/output.ts'
import type { ListenOptions } from '../network/listener.ts'
import type { AuditLog } from '../observe/audit-log.ts'
import { openDebugSocket } from '../observe/debug-socket.ts'
import { claimCertificates, preparePki, servingCertificates } from '../pki/certificates.ts'
import { writeKubeconfig } from '../pki/kubeconfig.ts'
import type { Pki } from '../pki/pki.ts'
import { workerCount } from '../workers/count.ts'
import type { Port } from '../workers/descriptor.ts'
import type { PoolOptions } from '../workers/pool.ts'
import { localAddress } from './address.ts'
import { authenticationOptions, authorizationWarnings } from './authentication-options.ts'
import { certificateOptions, listenOptions } from './certificate-options.ts'
import { aborted } from './ending-signal.ts'
import { checkFlagFiles, makeFlagDirectory, namingFlag } from './flag-file.ts'
import { prepareHost } from './host.ts'
import { keepCertificates } from './keep-certificates.ts'
import { openListener, portError } from './open-listener.ts'
import { Opened } from './opened.ts'
import { serverOptions } from './options.ts'
import { nodeClock } from './ports.ts'
import { type Running, shutDown } from './shutdown.ts'
import { openStores, storeOptions } from './store.ts'
import { nodeUsage } from './usage.ts'

/** What the flags were parsed from: workers parse it again. */
export interface CommandLine {
  readonly argv: readonly string[]
  readonly program: string
}

/** A running daemon. */
export interface Daemon {
  readonly port: number
  /** Shuts down in order; resolves when everything is closed. `cause`: signal, for the log. */
  stop(cause: string): Promise<void>
}

function writeAdminConfig(flags: ParsedFlags, pki: Pki, port: number): void {
  const path = flags.get('write-kubeconfig')
  if (!path) return
  makeFlagDirectory('write-kubeconfig', dirname(path))
  writeKubeconfig(path, {
    server: `https://${hostPort(localAddress(flags.get('bind-address')), port)}`,
    caPem: pki.servingAuthorityPem,
    certPem: pki.admin.certPem,
    keyPem: pki.admin.keyPem,
    name: flags.platform.service,
  })
}

/**
 * Starts everything and resolves when the server is ready; to undefined when `ending` aborts before, and then everything is closed again. Rejects
 * with a one-line error, which names the flag that it is about. `output`: where the log goes; default: where the flags send it.
 */
export async function start(
  flags: ParsedFlags,
  ending: AbortSignal,
  output?: LogOutput,
  commandLine?: CommandLine,
): Promise<Daemon | undefined> {
  const [conflict] = flagConflicts(flags)
  if (conflict !== undefined) throw new FlagError(conflict)
  checkFlagFiles(flags)
  const opened = new Opened()
  try {
    const daemon = await startAll(flags, ending, opened, output, commandLine)
    if (daemon === undefined) await opened.close()
    return daemon
  } catch (error) {
    await opened.close().catch(() => {})
    throw namingFlag(flags, error)
  }
}

/** Adds each thing that it opens to `opened`. */
async function startAll(
  flags: ParsedFlags,
  ending: AbortSignal,
  opened: Opened,
  output: LogOutput | undefined,
  commandLine: CommandLine | undefined,
): Promise<Daemon | undefined> {
  const workers = workerCount(flags)
  if (workers > 1 && commandLine === undefined) throw new FlagError('--workers: a server beside a command has one thread')
  const log = logOfFlags(flags, output)
  const { logger } = log
  const sharing = flags.get('permit-port-sharing') ? sharingWarnings() : []
  for (const warning of [...flags.warnings, ...headerWarnings(flags), ...gatesOfFlags(flags).warnings, ...sharing]) logger.warn({}, warning)
  const [options, stores, listening] = [serverOptions(flags), storeOptions(flags), listenOptions(flags)]
  const [files, authentication] = [certificateOptions(flags), authenticationOptions(flags)]
  const shutdown = {
    delay: flags.get('shutdown-delay-duration'),
    sendRetryAfter: flags.get('shutdown-send-retry-after'),
    watchGrace: flags.get('shutdown-watch-termination-grace-period'),
    limit: flags.get('request-timeout'),
  }
  const servers = 'kvstore-servers'
  if (flags.isSet(servers) && !flags.isSet('controllers'))
    logger.info({}, `built-in controllers are off because of ${flags.spelling(servers)}: run a controller manager, or add --controllers=*`)
  const claim = await claimCertificates(files)
  opened.add(() => claim.release())
  const ended = () => logger.info({ signal: ending.reason }, 'shutdown: ended during the start')
  const pki = await preparePki(files, claim, { logger, ending }).catch((error: unknown) => {
    if (ending.aborted) return ended()
    throw error
  })
  if (!pki) return undefined
  const auditLog = await openLog(flags, logger)
  opened.add(() => auditLog?.close())
  const among = workers > 1 ? await amongThreads(workers) : undefined
  let handshakeErrors = () => 0
  const { ports, authorities, ...host } = await prepareHost(
    flags,
    {
      ...{ options, authentication, pki },
      log: { ...log, ...(auditLog && { audit: (lines: Uint8Array) => auditLog.write(lines) }) },
      usage: { ...nodeUsage, handshakeErrors: () => handshakeErrors() },
      limits: among?.limits,
      threads: among?.own,
    },
    opened,
  )
  for (const warning of authorizationWarnings(flags)) logger.warn({}, warning)
  let openedNow: OpenStores | undefined
  const open = async () => {
    const { store, overrides = [] } = await openStores(stores, nodeClock, logger, host.dialStore)
    for (const each of [store, ...overrides.map((override) => override.store)]) openedStores.add(() => each.close())
    openedNow = { store, overrides }
    return openedNow
  }
  const { platform } = flags
  const limits = { number: flags.get('max-branches'), ttl: flags.get('max-branch-ttl'), bytes: flags.get('max-branch-bytes') }
  const branches = flags.get('enable-branches')
    ? (await import('../branches/index.ts')).prepareBranches({ platform, ports, options: host.options, stores: () => openedNow }, limits)
    : undefined
  const server = prepareApiServer(ports, open, branches?.options ?? host.options)
  branches?.serve(server.answer)
  const certificates = servingCertificates(files, pki)
  const openPort = async () => {
    const port = await openListener({ ...listening, ...certificates, logger }, server.answer)
    opened.add(() => port.close(0))
    return port
  }
  const shared = workers > 1 ? await boundPort(listening) : undefined
  if (shared) opened.add(() => shared.close())
  // The server opens its stores when it starts, and needs them until it has ended.
  const openedStores = new Opened()
  opened.add(() => openedStores.close())
  // The port opens first, so that clients can ask what the server still waits for. Those of a shared port expect answers from every server.
  const early = listening.sharePort || shared ? undefined : await openPort()
  handshakeErrors = () => early?.handshakeErrors ?? 0
  opened.add(() => server.close())
  opened.add(() => branches?.close())
  opened.add(await openDebugSocket(flags.get('debug-socket-path'), server.debug))
  await Promise.race([server.start(), aborted(ending)])
  if (ending.aborted) {
    ended()
    return undefined
  }
  const serveHere = async (): Promise<Serving> => {
    const listener = early ?? (await openPort())
    handshakeErrors = () => listener.handshakeErrors
    await keepCertificates(listener, { files, pki, certificates, authorities, logger }, opened)
    return { server, listener, address: listener.address, port: listener.port }
  }
  const serving =
    shared && among && openedNow && commandLine
      ? await serveWithWorkers(
          {
            ...{
              count: workers,
              commandLine,
              pki,
              port: shared,
              store: openedNow.store,
              limits: among.memory,
              rates: among.rates,
              own: among.own,
            },
            ...{ auditLog, log, metrics: host.metrics },
          },
          server,
          opened,
        )
      : await serveHere()
  if (ending.aborted) {
    ended()
    return undefined
  }
  const { address, port } = serving
  writeAdminConfig(flags, pki, port)
  logger.info({ address: hostPort(address, port), ...(shared && { workers }) }, 'serving')
  return { port, stop: (cause) => shutDown(shutdown, { ...serving, opened, logger }, cause) }
}

/** What answers at the port: this thread, or the workers. */
interface Serving extends Pick<Running, 'server' | 'listener'> {
  readonly address: string
  readonly port: number
}

interface WorkerOptions extends Omit<PoolOptions, 'clock' | 'logger' | 'setVerbosity'> {
  readonly log: Pick<ReturnType<typeof logOfFlags>, 'logger' | 'setVerbosity'>
}

/** Resolves when all workers serve; rejects when one can't start. `server`: the server of this thread. */
async function serveWithWorkers({ log, ...options }: WorkerOptions, server: ApiServer, opened: Opened): Promise<Serving> {
  const { Pool } = await import('../workers/pool.ts')
  const { logger, setVerbosity = () => {} } = log
  const pool = await Pool.open({ ...options, clock: nodeClock, logger, setVerbosity })
  opened.add(() => pool.end())
  const { address, port } = options.port
  return { server: pool.around(server), listener: pool, address, port }
}

const [megabyte, day] = [1024 * 1024, 24 * 3_600_000]

/** The audit log; undefined: none is wanted. Rejects with a FlagError when it can't be opened. */
async function openLog(flags: ParsedFlags, logger: Logger): Promise<AuditLog | undefined> {
  const path = flags.get('audit-log-path')
  if (!path) return undefined
  const { openAuditLog } = await import('../observe/audit-log.ts')
  const options = {
    path,
    maxSize: flags.get('audit-log-maxsize') * megabyte,
    maxBackups: flags.get('audit-log-maxbackup'),
    maxAge: flags.get('audit-log-maxage') * day,
    compress: flags.get('audit-log-compress'),
    clock: nodeClock,
    logger,
  }
  return openAuditLog(options).catch((error: unknown) => {
    throw new FlagError(`--audit-log-path: ${reasonOf(error)}`)
  })
}

/** What this thread shares with workers: memory for limits and its side of it, and its answers. */
async function amongThreads(workers: number) {
  const { limitMemory, ThreadLimits } = await import('../workers/limits.ts')
  const { Threads } = await import('../workers/threads.ts')
  const { createRates } = await import('../workers/rates.ts')
  const memory = limitMemory(1 + workers)
  const rates = createRates(nodeClock)
  // It serves no requests that ask for others.
  return { memory, rates, limits: new ThreadLimits(memory, 0, rates), own: new Threads('main thread', async () => []) }
}

/** The port that workers listen on. Rejects with a FlagError when it can't be bound. */
async function boundPort(options: Pick<ListenOptions, 'address' | 'port'>): Promise<Port> {
  const { bindPort, freePort } = await import('../workers/descriptor.ts')
  try {
    return canSharePorts() ? await freePort(options) : bindPort(options)
  } catch (error) {
    throw portError(error, options)
  }
}
