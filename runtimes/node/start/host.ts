/** What a server of the daemon needs of its host: the ports, and the options that come from files. */
import { hostname } from 'node:os'
import { tracingConfiguration } from '../../../core/config/files/tracing.ts'
import { metricSelectionOf } from '../../../core/flags/metrics.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { labelValuesFile } from '../../../core/meta/metrics/label-values-file.ts'
import { createMetrics, type MetricsRegistry } from '../../../core/meta/metrics/registry.ts'
import { hostPort } from '../../../core/outgoing/url-parts.ts'
import type { HostPorts, Logger, OtherThreads, ProcessUsage, SharedLimits, Telemetry } from '../../../core/ports.ts'
import type { ServerOptions } from '../../../core/server.ts'
import type { Dial } from '../../wire/client/socket.ts'
import type { EgressSelector } from '../egress/flags.ts'
import { createOutbound } from '../network/outbound.ts'
import { createProfiler } from '../observe/profiler.ts'
import { type ClientAuthorities, clientAuthorities } from '../pki/authorities.ts'
import { hostIdentity } from '../pki/identity.ts'
import type { Pki } from '../pki/pki.ts'
import type { Tracing } from '../tracing/index.ts'
import { advertisedAddress } from './address.ts'
import { authenticators, staticTokens } from './authentication.ts'
import type { AuthenticationOptions } from './authentication-options.ts'
import { loadFlagFile } from './flag-file.ts'
import type { Opened } from './opened.ts'
import { nodeClock, nodeFiles, nodeOutbound } from './ports.ts'

export interface HostOptions {
  /** Options of the core that the flags set. */
  readonly options: ServerOptions
  readonly authentication: AuthenticationOptions
  readonly pki: Pki
  /** The log, and the audit log if one is wanted. */
  readonly log: Omit<Telemetry, 'usage' | 'profiler' | 'tracer'>
  readonly usage: ProcessUsage
  /** Limits that this thread has together with others; undefined: there is one thread. */
  readonly limits?: SharedLimits | undefined
  readonly threads?: OtherThreads | undefined
}

export interface Host {
  readonly ports: HostPorts
  readonly options: ServerOptions
  readonly metrics: MetricsRegistry
  readonly authorities: ClientAuthorities
  /** The way to etcd; undefined: a direct one. */
  readonly dialStore: Dial | undefined
}

/** Adds each thing that it opens to `opened`. Rejects with an Error that names the flag. */
export async function prepareHost(flags: ParsedFlags, given: HostOptions, opened: Opened): Promise<Host> {
  const { authentication, pki, log, usage, limits, threads } = given
  const identity = hostIdentity(flags.platform.programs[0] ?? 'apiserver')
  const metrics = createMetrics(metricSelectionOf(flags, loadFlagFile(flags, 'allow-metric-labels-manifest', labelValuesFile)))
  const egress = await openEgress(flags, metrics)
  const tracing = await tracingOfFlags(flags, identity, log.logger, egress?.dials.controlplane)
  opened.add(() => tracing?.close())
  const telemetry = { ...log, usage, profiler: createProfiler(), ...(tracing && { tracer: tracing.tracer }) }
  const ports = {
    ...{ clock: nodeClock, files: nodeFiles, outbound: egress ? createOutbound(egress.dials) : nodeOutbound, telemetry },
    ...(limits && { limits }),
    ...(threads && { threads }),
  }
  const authorities = await clientAuthorities(authentication.authorities, pki, ports)
  opened.add(() => authorities.close())
  const tokens = await staticTokens(authentication, ports)
  opened.add(() => tokens.close())
  const address = advertisedAddress(flags.get('advertise-address'), flags.get('bind-address'))
  const credentials = { authorities, tokens, serviceAccountKey: pki.serviceAccountKeyPem }
  const options = {
    ...given.options,
    ...(await authenticators(authentication, credentials, ports, metrics, egress?.classes)),
    metrics,
    hostname: hostname(),
    identity,
    serverAddress: hostPort(flags.get('external-hostname') || address, flags.get('secure-port')),
    advertiseAddress: address,
    rootCa: pki.servingAuthorityPem,
  }
  return { ports, options, metrics, authorities, dialStore: egress?.dials.etcd }
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
