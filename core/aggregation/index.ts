/**
 * Aggregation: group versions of other servers, which registrations (APIService objects) name. Their requests are passed on, and discovery and
 * OpenAPI have what they say about themselves.
 */
import type { Lookup } from '../admission/lookup.ts'
import type { Pauses } from '../common/slices.ts'
import type { ResourceClient } from '../controllers/client.ts'
import type { QueueMetrics } from '../controllers/queue-metrics.ts'
import type { Handler } from '../filters/filter.ts'
import type { GroupSource } from '../meta/group-source.ts'
import type { SwaggerSource } from '../meta/openapi/v2.ts'
import type { OpenApiSource } from '../meta/openapi/v3.ts'
import type { Metrics } from '../metrics.ts'
import type { ResourceTable, ServedResource } from '../objects/registry/served.ts'
import { type ClientCertificate, withClientCertificate } from '../outgoing/forwarding/pem-files.ts'
import { createClusterAddress, createServiceAddress } from '../outgoing/service-address.ts'
import { createConnect } from '../outgoing/webhook/client-config.ts'
import type { Platform } from '../platform.ts'
import type { Clock, Logger, Outbound } from '../ports.ts'
import type { ClusterSettings } from '../schema/model.ts'
import { reportAvailability } from './availability.ts'
import { connectRegistration } from './connection.ts'
import { createRemoteGroups } from './discovery.ts'
import { createForward } from './forward.ts'
import { createListing, type Listing } from './listing.ts'
import { registrationsGroup } from './local.ts'
import { createRemoteOpenApi } from './openapi.ts'
import { groupVersionOf, isRemote, type RemoteRegistration } from './registration.ts'
import { followRegistrations, type Registrations } from './registrations.ts'

export interface AggregationOptions {
  /** The registrations. */
  readonly resource: ServedResource
  readonly table: ResourceTable
  readonly platform: Platform
  readonly settings: Pick<ClusterSettings, 'enabled'>
  readonly clock: Clock
  readonly pauses: Pauses
  readonly logger: Logger
  readonly outbound: Outbound
  readonly queues: QueueMetrics
  readonly lookup: Lookup
  /** PEM of this server's current client certificate and its key. */
  readonly credentials: () => ClientCertificate
  /** Connect to endpoints of services instead of their cluster IPs. */
  readonly routesToEndpoints: boolean
  readonly rejectRedirects: boolean
}

export interface Aggregation {
  readonly resource: ServedResource
  readonly registrations: Registrations
  /** Handlers by `GROUP/VERSION`. */
  readonly delegates: ReadonlyMap<string, Handler>
  readonly groups: GroupSource
  readonly listing: Listing
  readonly swagger: SwaggerSource
  readonly openApi: OpenApiSource
  /** Starts to report in the registrations whether their servers can be reached; the returned function stops it. */
  report(client: ResourceClient, metrics: Metrics): () => void
  close(): void
}

/** Resolves when the stored registrations are known. */
export async function createAggregation(options: AggregationOptions): Promise<Aggregation> {
  const {
    resource,
    table,
    platform,
    settings,
    clock,
    pauses,
    logger,
    outbound,
    queues,
    lookup,
    credentials,
    routesToEndpoints,
    rejectRedirects,
  } = options
  const registrations = await followRegistrations(resource, clock, logger)
  const listing = createListing(registrations, table, platform)
  const own = registrationsGroup(platform)
  const user = `system:${platform.component}-aggregator`
  const serviceNameLabel = platform.name('<labels>/service-name')
  const serviceAddress = routesToEndpoints ? createServiceAddress(lookup, serviceNameLabel, false) : createClusterAddress(lookup)
  const connect = connectRegistration(createConnect(serviceAddress, () => ({ options: withClientCertificate(credentials()) })))
  const sendsUid = () => settings.enabled('RemoteRequestHeaderUID')
  const services = { outbound, clock, pauses, platform, sendsUid, connect, rejectRedirects, logger, queues }
  const forward = createForward(services)
  const remote = new Map<string, RemoteRegistration>()
  const groups = createRemoteGroups({ ...services, registrations: remote, listGroup: platform.name('apidiscovery.<domain>'), user })
  const documents = createRemoteOpenApi({ ...services, registrations: remote, forward })
  const delegates = new Map<string, Handler>()

  function forget(name: string, before: RemoteRegistration): void {
    remote.delete(name)
    delegates.delete(groupVersionOf(before))
    groups.remove(name)
    documents.remove(name)
  }

  function look(name: string): void {
    const registration = registrations.all.get(name)
    const before = remote.get(name)
    if (registration === undefined || !isRemote(registration, own)) {
      if (before !== undefined) forget(name, before)
      return
    }
    remote.set(name, registration)
    delegates.set(groupVersionOf(registration), (exchange) => forward(exchange, remote.get(name) ?? registration))
    groups.update(name)
    documents.update(name)
  }

  const stop = registrations.follow(look)
  for (const name of registrations.all.keys()) look(name)
  return {
    resource,
    registrations,
    delegates,
    groups,
    listing,
    swagger: documents.swagger,
    openApi: documents.openApi,
    report: (client, metrics) => reportAvailability({ ...services, registrations, client, lookup, metrics, user, serviceNameLabel }),
    close() {
      stop()
      listing.close()
      groups.close()
      documents.close()
      registrations.close()
    },
  }
}
