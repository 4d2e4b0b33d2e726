import { field, int32, list, message, pointer, required, string } from '../../../schema/model.ts'

export const BasicSchedulingPolicy = message('BasicSchedulingPolicy', 'Pods are scheduled one by one.', {})

export const GangSchedulingPolicy = message(
  'GangSchedulingPolicy',
  'Pods are scheduled together or not at all.',
  { minCount: required(1, int32, 'Least number of pods that must fit at the same time.') },
  {
    validate({ minCount }, path, errors) {
      if (minCount === 0) errors.required(path.child('minCount'))
      else if (minCount < 0) errors.invalid(path.child('minCount'), minCount, 'must be greater than zero')
    },
  },
)

export const PodGroupSchedulingPolicy = message(
  'PodGroupSchedulingPolicy',
  'How the pods of a group are scheduled; one member is set.',
  {
    basic: pointer(1, BasicSchedulingPolicy, 'One by one.'),
    gang: pointer(2, GangSchedulingPolicy, 'All or nothing.'),
  },
  {
    versioned: true,
    validate({ basic, gang }, path, errors) {
      if (!basic && !gang) errors.invalid(path, '', 'must specify one of: `basic`, `gang`')
      if (!basic || !gang) return
      errors.invalid(path, '{`basic`, `gang`}', 'exactly one of `basic`, `gang` is required, but multiple fields are set')
    },
  },
)

export const TopologyConstraint = message('TopologyConstraint', 'Places a group within one topology domain.', {
  key: required(1, string, 'Node label whose values are the domains.'),
})

export const PodGroupSchedulingConstraints = message('PodGroupSchedulingConstraints', 'Where the pods of a group are placed.', {
  topology: field(1, list(TopologyConstraint, { listType: 'atomic' }), 'Topology domains to stay within.'),
})

export const PodGroupResourceClaim = message(
  'PodGroupResourceClaim',
  'A resource claim that the pods of a group share; one of the two sources is set.',
  {
    name: required(1, string, 'Name within the group.'),
    resourceClaimName: pointer(2, string, 'Existing claim in the namespace.'),
    resourceClaimTemplateName: pointer(3, string, 'Template of a claim created for the group.'),
  },
)
