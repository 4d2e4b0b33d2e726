import { atomicList, field, int64, keyedList, list, map, message, pointer, quantity, required, string, time } from '../../schema/model.ts'
import { probedConditionFields } from '../meta/condition.ts'
import { object } from '../meta/object.ts'
import { ContainerStatus } from './container-status.ts'
import { PodConditionType } from './enums.ts'
import { resourceList } from './resource-list.ts'
import { ResourceRequirements } from './resources.ts'

export const ContainerExtendedResourceRequest = message(
  'ContainerExtendedResourceRequest',
  "Which device request stands for a container's extended resource.",
  () => ({
    containerName: required(1, string, 'Container that requests it.'),
    resourceName: required(2, string, 'Extended resource.'),
    requestName: required(3, string, 'Request in the special claim.'),
  }),
)

export const HostIP = message('HostIP', 'An address of the node that runs a pod.', () => ({
  ip: required(1, string, 'The address.'),
}))

export const NodeAllocatableResourceClaimStatus = message(
  'NodeAllocatableResourceClaimStatus',
  'Node resources that a pod gets through a resource claim.',
  () => ({
    resourceClaimName: required(1, string, 'The claim.'),
    containers: field(2, list(string, { listType: 'set' }), 'Containers that use it.'),
    resources: required(3, map(quantity), 'Amounts, by resource.', { goType: 'map[v1.ResourceName]resource.Quantity' }),
  }),
)

export const PodCondition = message('PodCondition', 'An observation about a pod.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', { goType: 'v1.PodConditionType', openEnum: PodConditionType }),
  observedGeneration: field(7, int64, 'Generation of the spec that the condition speaks about.', {
    gate: 'PodObservedGenerationTracking',
  }),
  ...probedConditionFields,
}))

export const PodIP = message('PodIP', 'An address of a pod.', () => ({
  ip: required(1, string, 'The address.'),
}))

export const PodResourceClaimStatus = message(
  'PodResourceClaimStatus',
  'The claim that stands behind an entry of spec.resourceClaims.',
  () => ({
    name: required(1, string, 'Name of that entry.'),
    resourceClaimName: pointer(2, string, 'Claim created from the template; absent when none was needed.'),
  }),
)

export const PodExtendedResourceClaimStatus = message(
  'PodExtendedResourceClaimStatus',
  "The special claim that backs a pod's extended resources.",
  () => ({
    requestMappings: required(1, atomicList(ContainerExtendedResourceRequest), "Device request for each container's extended resource."),
    resourceClaimName: required(2, string, 'The claim.'),
  }),
)

export const PodStatus = message('PodStatus', 'State of a pod.', () => ({
  observedGeneration: field(17, int64, 'Generation of the spec that this status was computed from.', {
    gate: 'PodObservedGenerationTracking',
  }),
  phase: field(1, string, 'Pending, Running, Succeeded, Failed or Unknown.', {
    goType: 'v1.PodPhase',
    enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'],
  }),
  conditions: keyedList(2, PodCondition, 'type', 'Latest observations, one per condition type.'),
  message: field(3, string, 'Why the pod is in this state, for people.'),
  reason: field(4, string, 'The same in one word, such as Evicted.'),
  nominatedNodeName: field(11, string, 'Node where others are being preempted for this pod.'),
  hostIP: field(5, string, 'Address of the node.'),
  hostIPs: field(16, atomicList(HostIP), 'Addresses of the node.', { patchStrategy: 'merge', patchMergeKey: 'ip' }),
  podIP: field(6, string, 'Address of the pod.'),
  podIPs: keyedList(12, PodIP, 'ip', 'Addresses of the pod, at most one per family; the first equals podIP.'),
  startTime: pointer(7, time, 'When the node agent accepted the pod.'),
  initContainerStatuses: field(10, atomicList(ContainerStatus), 'State of the init containers.'),
  containerStatuses: field(8, atomicList(ContainerStatus), 'State of the main containers.'),
  qosClass: field(9, string, 'Guaranteed, Burstable or BestEffort.', {
    goType: 'v1.PodQOSClass',
    enum: ['Guaranteed', 'Burstable', 'BestEffort'],
  }),
  ephemeralContainerStatuses: field(13, atomicList(ContainerStatus), 'State of the ephemeral containers.'),
  resize: field(14, string, 'Deprecated: progress of a resize; see the conditions.', {
    goType: 'v1.PodResizeStatus',
    openEnum: ['InProgress', 'Deferred', 'Infeasible'],
    gate: 'InPlacePodVerticalScaling',
  }),
  resourceClaimStatuses: field(
    15,
    list(PodResourceClaimStatus, { listType: 'map', keys: ['name'] }),
    'Claims behind spec.resourceClaims.',
    { patchStrategy: 'merge,retainKeys', patchMergeKey: 'name', gate: 'DynamicResourceAllocation' },
  ),
  extendedResourceClaimStatus: pointer(18, PodExtendedResourceClaimStatus, 'Claim behind the extended resources.', {
    gate: 'DRAExtendedResource',
  }),
  allocatedResources: field(19, resourceList, 'Resources that the node has set aside for the pod.', {
    goType: 'v1.ResourceList',
    gate: 'InPlacePodLevelResourcesVerticalScaling',
  }),
  resources: pointer(20, ResourceRequirements, 'Requests and limits of the pod that are in force.', {
    gate: 'InPlacePodLevelResourcesVerticalScaling',
  }),
  nodeAllocatableResourceClaimStatuses: field(
    21,
    atomicList(NodeAllocatableResourceClaimStatus),
    'Node resources obtained through claims.',
    { gate: 'DRANodeAllocatableResources' },
  ),
})).with({
  defaults(status) {
    const [first] = status.podIPs ?? []
    if (status.podIP && status.podIP !== first?.ip) status.podIPs = [{ ip: status.podIP }]
    else if (first?.ip) status.podIP = first.ip
  },
})

export const PodStatusResult = object('PodStatusResult', 'A pod status as a node agent returns it.', () => ({
  status: field(2, PodStatus, 'The status.'),
}))
