import type { ResourceDefinition } from '../definition.ts'
import { bindings } from './binding.ts'
import { componentStatuses } from './componentstatus.ts'
import { configMaps } from './configmap.ts'
import { endpoints } from './endpoints.ts'
import { events } from './event.ts'
import { limitRanges } from './limitrange.ts'
import { namespaces } from './namespace.ts'
import { nodes } from './node.ts'
import { persistentVolumes } from './persistentvolume.ts'
import { persistentVolumeClaims } from './persistentvolumeclaim.ts'
import { pods } from './pod.ts'
import { podTemplates } from './podtemplate.ts'
import { replicationControllers } from './replicationcontroller.ts'
import { resourceQuotas } from './resourcequota.ts'
import { secrets } from './secret.ts'
import { services } from './service.ts'
import { serviceAccounts } from './serviceaccount.ts'

export * from './affinity.ts'
export * from './binding.ts'
export * from './componentstatus.ts'
export * from './configmap.ts'
export * from './container.ts'
export * from './container-status.ts'
export * from './endpoints.ts'
export * from './enums.ts'
export * from './env.ts'
export * from './ephemeral-container.ts'
export * from './event.ts'
export * from './field-selector.ts'
export * from './limitrange.ts'
export * from './load-balancer.ts'
export * from './namespace.ts'
export * from './node.ts'
export * from './node-status.ts'
export * from './persistentvolume.ts'
export * from './persistentvolumeclaim.ts'
export * from './pod.ts'
export * from './pod-options.ts'
export * from './pod-spec.ts'
export * from './pod-status.ts'
export * from './pod-template.ts'
export * from './podtemplate.ts'
export * from './preconditions.ts'
export * from './probe.ts'
export * from './proxy-options.ts'
export * from './rangeallocation.ts'
export * from './references.ts'
export * from './replicationcontroller.ts'
export * from './resourcequota.ts'
export * from './resources.ts'
export * from './scheduling.ts'
export * from './secret.ts'
export * from './security.ts'
export * from './service.ts'
export * from './serviceaccount.ts'
export * from './volume.ts'
export * from './volume-cloud.ts'
export * from './volume-local.ts'
export * from './volume-mount.ts'
export * from './volume-network.ts'
export * from './volume-projected.ts'

export const definitions: readonly ResourceDefinition[] = [
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
]
