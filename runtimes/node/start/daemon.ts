/** A running server from a parsed command line. */
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { tracingConfiguration } from '../../../core/config/files/tracing.ts'
import { flagConflicts } from '../../../core/flags/exclusions.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import { gatesOfFlags } from '../../../core/flags/gates.ts'
import { headerWarnings } from '../../../core/flags/header-warnings.ts'
import { metricSelectionOf } from '../../../core/flags/metrics.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { labelValuesFile } from '../../../core/meta/metrics/label-values-file.ts'
import { createMetrics, type MetricsRegistry } from '../../../core/meta/metrics/registry.ts'
import { hostPort } from '../../../core/outgoing/url-parts.ts'
import type { Logger } from '../../../core/ports.ts'
import { prepareApiServer } from '../../../core/server.ts'
import { reasonOf } from '../../atomic-file.ts'
import type { Dial } from '../../wire/client/socket.ts'
import type { EgressSelector } from '../egress/flags.ts'
import { sharingWarnings } from '../http/port-sharing.ts'
import { logOfFlags } from '../log/options.ts'
import type { LogOutput } from '../log/output.ts'
import { createOutbound } from '../network/outbound.ts'
import type { AuditLog } from '../observe/audit-log.ts'
import { openDebugSocket } from '../observe/debug-socket.ts'
import { createProfiler } from '../observe/profiler.ts'
import { announced, clientAuthorities } from '../pki/authorities.ts'
import { claimCertificates, followCertificates, preparePki, servingCertificates } from '../pki/certificates.ts'
import { hostIdentity } from '../pki/identity.ts'
import { writeKubeconfig } from '../pki/kubeconfig.ts'
import type { Pki } from '../pki/pki.ts'
import type { Tracing } from '../tracing/index.ts'
import { advertisedAddress, localAddress } from './address.ts'
import { authenticators, staticTokens } from './authentication.ts'
import { authenticationOptions, authorizationWarnings } from './authentication-options.ts'
import { certificateOptions, listenOptions } from './certificate-options.ts'
import { aborted } from './ending-signal.ts'
import { checkFlagFiles, loadFlagFile, makeFlagDirectory, namingFlag } from './flag-file.ts'
import { openListener } from './open-listener.ts'
import { Opened } from './opened.ts'
import { serverOptions } from './options.ts'
import { nodeClock, nodeFiles, nodeOutbound } from './ports.ts'
import { shutDown } from './shutdown.ts'
import { openStores, storeOptions } from './store.ts'
import { nodeUsage } from './usage.ts'

/**
 * Milliseconds from serving until the CertificateRequest names the client CAs; before, it names none, which allows any. The first CA that
 * Node is given makes it parse all public CAs too: 20 ms, a tenth of a start.
 */
const announcementDelay = 250

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
export async function start(flags: ParsedFlags, ending: AbortSignal, output?: LogOutput): Promise<Daemon | undefined> {
  const [conflict] = flagConflicts(flags)
  if (conflict !== undefined) throw new FlagError(conflict)
  checkFlagFiles(flags)
  const opened = new Opened()
  try {
    const daemon = await startAll(flags, ending, opened, output)
    if (daemon === undefined) await opened.close()
    return daemon
  } catch (error) {
    await opened.close().catch(() => {})
    throw namingFlag(flags, error)
  }
}

/** Adds each thing that it opens to `opened`. */
async function startAll(flags: ParsedFlags, ending: AbortSignal, opened: Opened, output?: LogOutput): Promise<Daemon | undefined> {
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
  const identity = hostIdentity(flags.platform.programs[0] ?? 'apiserver')
  const metrics = createMetrics(metricSelectionOf(flags, loadFlagFile(flags, 'allow-metric-labels-manifest', labelValuesFile)))
  const egress = await openEgress(flags, metrics)
  const tracing = await tracingOfFlags(flags, identity, logger, egress?.dials.controlplane)
  opened.add(() => tracing?.close())
  let handshakeErrors = () => 0
  const telemetry = {
    ...log,
    usage: { ...nodeUsage, handshakeErrors: () => handshakeErrors() },
    profiler: createProfiler(),
    ...(tracing && { tracer: tracing.tracer }),
    ...(auditLog && { audit: (lines: Uint8Array) => auditLog.write(lines) }),
  }
  const ports = { clock: nodeClock, files: nodeFiles, outbound: egress ? createOutbound(egress.dials) : nodeOutbound, telemetry }
  const authorities = await clientAuthorities(authentication.authorities, pki, ports)
  opened.add(() => authorities.close())
  const tokens = await staticTokens(authentication, ports)
  opened.add(() => tokens.close())
  const address = advertisedAddress(flags.get('advertise-address'), flags.get('bind-address'))
  const given = { authorities, tokens, serviceAccountKey: pki.serviceAccountKeyPem }
  for (const warning of authorizationWarnings(flags)) logger.warn({}, warning)
  const complete = {
    ...options,
    ...(await authenticators(authentication, given, ports, metrics, egress?.classes)),
    metrics,
    hostname: hostname(),
    identity,
    serverAddress: hostPort(flags.get('external-hostname') || address, flags.get('secure-port')),
    advertiseAddress: address,
    rootCa: pki.servingAuthorityPem,
  }
  const open = async () => {
    const { store, overrides = [] } = await openStores(stores, nodeClock, logger, egress?.dials.etcd)
    for (const each of [store, ...overrides.map((override) => override.store)]) openedStores.add(() => each.close())
    return { store, overrides }
  }
  const server = prepareApiServer(ports, open, complete)
  const certificates = servingCertificates(files, pki)
  const openPort = async () => {
    const port = await openListener({ ...listening, ...certificates, logger }, server.answer)
    opened.add(() => port.close(0))
    return port
  }
  // The server opens its stores when it starts, and needs them until it has ended.
  const openedStores = new Opened()
  opened.add(() => openedStores.close())
  // The port opens first, so that clients can ask what the server still waits for. Those of a shared port expect answers from every server.
  const early = listening.sharePort ? undefined : await openPort()
  handshakeErrors = () => early?.handshakeErrors ?? 0
  opened.add(() => server.close())
  opened.add(await openDebugSocket(flags.get('debug-socket-path'), server.debug))
  await Promise.race([server.start(), aborted(ending)])
  if (ending.aborted) {
    ended()
    return undefined
  }
  const listener = early ?? (await openPort())
  handshakeErrors = () => listener.handshakeErrors
  writeAdminConfig(flags, pki, listener.port)
  opened.add(await followCertificates(files, pki, certificates, logger, (changed) => listener.reload(changed)))
  const announce = () => {
    try {
      listener.reload({ clientAuthorities: announced(authorities) })
    } catch (error) {
      logger.error({ error: reasonOf(error) }, 'client CA names could not be added to TLS handshakes')
    }
  }
  authorities.onChange(announce)
  const announcement = setTimeout(announce, announcementDelay)
  opened.add(() => clearTimeout(announcement))
  logger.info({ address: hostPort(listener.address, listener.port) }, 'serving')
  return { port: listener.port, stop: (cause) => shutDown(shutdown, { server, listener, opened, logger }, cause) }
}

/** The tracer; undefined: none is wanted. `dial`: the way to the collector; undefined: a direct one. */
async function tracingOfFlags(flags: ParsedFlags, identity: string, logger: Logger, dial: Dial | undefined): Promise<Tracing | undefined> {
  const configuration = loadFlagFile(flags, 'tracing-config-file', tracingConfiguration)
  if (configuration === undefined) return undefined
  const { openTracing } = await import('../tracing/index.ts')
  return openTracing({ configuration, identity, dial, logger })
}

/** The egress selector; undefined: none is configured. */
async function openEgress(flags: ParsedFlags, metrics: MetricsRegistry): Promise<EgressSelector | undefined> {
  if (!flags.get('egress-selector-config-file')) return undefined
  const { egressOfFlags } = await import('../egress/flags.ts')
  return egressOfFlags(flags, metrics, nodeClock)
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
