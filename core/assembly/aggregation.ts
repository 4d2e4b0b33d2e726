import { startAutoRegistration } from '../aggregation/auto-registration.ts'
import { type Aggregation, createAggregation } from '../aggregation/index.ts'
import { registrationsGroup } from '../aggregation/local.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import { createClient, serverManager } from '../controllers/client.ts'
import type { ResourceTable } from '../objects/registry/served.ts'
import { type ClientCertificate, clientCertificateContents, followPemFiles, type PemFiles } from '../outgoing/forwarding/pem-files.ts'
import { type AssemblyContext, hookContextOf } from './context.ts'
import type { Parts } from './parts.ts'

/** Certificate and key by which aggregated API servers know this one. */
export type ProxyClient = PemFiles<keyof ClientCertificate>

export const readProxyClient = ({ options, ports }: AssemblyContext): MaybePromise<ProxyClient> =>
  followPemFiles({
    paths: options.network.proxyClientFiles,
    contents: clientCertificateContents,
    what: 'file for calls to aggregated API servers',
    files: ports.files,
    logger: ports.telemetry.logger,
  })

/** Undefined when registrations are not served, or have no effect. */
export async function startAggregation(
  { proxyClient, ...needed }: Pick<Parts, 'table' | 'lookup' | 'proxyClient' | 'pauses'>,
  context: AssemblyContext,
): Promise<Aggregation | undefined> {
  const { options, ports, settings, queues } = context
  const { platform } = options.general
  if (!options.network.aggregation) return undefined
  const resource = needed.table.lookup(registrationsGroup(platform), 'v1', 'apiservices')
  if (resource === undefined) return undefined
  return createAggregation({
    ...needed,
    resource,
    platform,
    settings,
    clock: ports.clock,
    logger: ports.telemetry.logger,
    outbound: ports.outbound,
    queues,
    // Absent: this server has no certificate.
    credentials: () => proxyClient?.texts ?? {},
    routesToEndpoints: options.network.aggregatorRouting,
    rejectRedirects: options.network.rejectForwardedRedirects,
  })
}

/** Registers what the server serves itself. */
export async function registerOwn(
  table: ResourceTable,
  aggregation: Aggregation | undefined,
  context: AssemblyContext,
): Promise<() => void> {
  if (aggregation === undefined) return () => {}
  const { options, ports, queues } = context
  const { clock, telemetry } = ports
  return startAutoRegistration({
    resource: aggregation.resource,
    registrations: aggregation.registrations,
    table,
    platform: options.general.platform,
    clock,
    logger: telemetry.logger,
    queues,
    hooks: () => hookContextOf(context),
  })
}

/** Reports in registrations, and in metrics, whether their servers can be reached. */
export function reportAvailability(aggregation: Aggregation | undefined, { options, fetchOwn }: AssemblyContext): () => void {
  if (aggregation === undefined) return () => {}
  const { platform, metrics } = options.general
  const client = createClient(fetchOwn, serverManager(platform))(aggregation.resource.definition)
  return aggregation.report(client, metrics)
}
