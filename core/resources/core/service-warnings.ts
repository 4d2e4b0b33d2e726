/** Warnings about services (pkg/api/service/warnings.go). */
import { FieldPath } from '../../schema/field-path.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { addressWarnings, networkWarnings } from '../address-warnings.ts'
import { boundedWarnings } from '../warnings.ts'
import type { Service as ServiceSchema } from './service.ts'

type Service = Infer<typeof ServiceSchema>

const path = FieldPath.of('spec')

export const serviceWarnings = (service: Service, _old: Service | undefined, context: HookContext) =>
  boundedWarnings(warningsOf(service, context))

function* warningsOf({ metadata, spec }: Service, { platform, settings }: HookContext): Iterable<string> {
  if (spec === undefined) return
  const hints = platform.name('service.<labels>/topology-aware-hints')
  if (metadata?.annotations?.[hints] !== undefined) {
    yield `annotation ${hints} is deprecated, please use ${platform.name('service.<labels>/topology-mode')} instead`
  }
  const { type, clusterIP = '', clusterIPs = [], externalIPs = [], loadBalancerIP, externalName } = spec
  const isExternalName = type === 'ExternalName'
  const isHeadless = type === 'ClusterIP' && clusterIP === 'None'
  if (clusterIP !== '' && clusterIP !== 'None') {
    for (const [index, address] of clusterIPs.entries()) yield* addressWarnings(path.child('clusterIPs').index(index), address)
  }
  if (isHeadless) {
    if (loadBalancerIP) yield 'spec.loadBalancerIP is ignored for headless services'
    if (externalIPs.length > 0) yield 'spec.externalIPs is ignored for headless services'
    if (spec.sessionAffinity !== 'None') yield 'spec.SessionAffinity is ignored for headless services'
  }
  for (const [index, address] of externalIPs.entries()) yield* addressWarnings(path.child('externalIPs').index(index), address)
  if (externalIPs.length > 0 && !isHeadless && !isExternalName) {
    yield 'spec.externalIPs is deprecated and may no longer be implemented in some clusters'
  }
  if (loadBalancerIP) yield* addressWarnings(path.child('loadBalancerIP'), loadBalancerIP)
  for (const [index, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    yield* networkWarnings(path.child('loadBalancerSourceRanges').index(index), range)
  }
  if (isExternalName && externalIPs.length > 0) yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
  if (!isExternalName && externalName) yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
  if (spec.trafficDistribution === 'PreferClose' && settings.enabled('PreferSameTrafficDistribution')) {
    yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'
  }
}

interface IngressPoints {
  readonly ingress?: readonly { readonly ip?: string | undefined }[] | undefined
}

interface WithLoadBalancer {
  readonly status?: { readonly loadBalancer?: IngressPoints | undefined } | undefined
}

/** Warnings about ingress points in the status of services and ingresses. */
export function ingressWarnings({ status }: WithLoadBalancer): string[] {
  const at = FieldPath.of('status', 'loadBalancer', 'ingress')
  const points = (status?.loadBalancer?.ingress ?? []).slice(0, 128)
  return boundedWarnings(points.flatMap(({ ip }, index) => (ip ? addressWarnings(at.index(index).child('ip'), ip) : [])))
}
