import { atomicList, field, int32, message, pointer, required, string } from '../../../schema/model.ts'

/** The reference validates these messages as they are in their version. */
export const declared = { versioned: true } as const

export const BasicSchedulingPolicy = message('BasicSchedulingPolicy', 'Pods are scheduled one by one.', {}).with(declared)

export const GangSchedulingPolicy = message('GangSchedulingPolicy', 'Pods are scheduled together or not at all.', () => ({
  minCount: required(1, int32, 'Least number of pods that must fit at the same time.'),
})).with(declared)

export const PodGroupSchedulingPolicy = message(
  'PodGroupSchedulingPolicy',
  'How the pods of a group are scheduled; one member is set.',
  () => ({
    basic: pointer(1, BasicSchedulingPolicy, 'One by one.'),
    gang: pointer(2, GangSchedulingPolicy, 'All or nothing.'),
  }),
).with({ ...declared, unions: [{ members: ['basic', 'gang'] }] })

export const TopologyConstraint = message('TopologyConstraint', 'Places a group within one topology domain.', () => ({
  key: required(1, string, 'Node label whose values are the domains.'),
})).with(declared)

export const PodGroupSchedulingConstraints = message('PodGroupSchedulingConstraints', 'Where the pods of a group are placed.', () => ({
  topology: field(1, atomicList(TopologyConstraint), 'Topology domains to stay within.'),
})).with(declared)

export const PodGroupResourceClaim = message(
  'PodGroupResourceClaim',
  'A resource claim that the pods of a group share; one of the two sources is set.',
  () => ({
    name: required(1, string, 'Name within the group.'),
    resourceClaimName: pointer(2, string, 'Existing claim in the namespace.'),
    resourceClaimTemplateName: pointer(3, string, 'Template of a claim created for the group.'),
  }),
).with(declared)
