import { field, list, message, required, string } from '../../schema/model.ts'
import { ResourceName } from './enums.ts'
import { resourceList } from './resource-list.ts'

export const ResourceClaim = message('ResourceClaim', 'A resource claim of the pod that a container uses.', () => ({
  name: required(1, string, 'Entry of spec.resourceClaims.'),
  request: field(2, string, 'Only the result of this request; all of them when empty.'),
}))

export const ResourceRequirements = message('ResourceRequirements', 'Requested resources and limits.', () => ({
  limits: field(1, resourceList, 'Greatest use of each resource.', { goType: 'v1.ResourceList' }),
  requests: field(2, resourceList, 'Amount that must be free; the limits by default.', { goType: 'v1.ResourceList' }),
  claims: field(3, list(ResourceClaim, { listType: 'map', keys: ['name'] }), 'Resource claims to use.', {
    gate: 'DynamicResourceAllocation',
  }),
}))

export const ContainerResizePolicy = message('ContainerResizePolicy', 'What a change of a resource does to the container.', () => ({
  resourceName: required(1, string, 'cpu or memory.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
  restartPolicy: required(2, string, 'NotRequired or RestartContainer.', {
    goType: 'v1.ResourceResizeRestartPolicy',
    openEnum: ['NotRequired', 'RestartContainer'],
  }),
}))

export const VolumeResourceRequirements = message('VolumeResourceRequirements', 'Requested storage.', () => ({
  limits: field(1, resourceList, 'Greatest amount.', { goType: 'v1.ResourceList' }),
  requests: field(2, resourceList, 'Least amount.', { goType: 'v1.ResourceList' }),
}))
