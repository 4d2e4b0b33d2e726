import { atomicList, field, int32, message, pointer, required, string } from '../../schema/model.ts'
import { LabelSelector } from '../meta/selector.ts'

export const NodeSelectorRequirement = message(
  'NodeSelectorRequirement',
  'One comparison of a node label or field with a set of values.',
  () => ({
    key: required(1, string, 'Label key, or field name, to compare.'),
    operator: required(2, string, 'How the value relates to `values`: In, NotIn, Exists, DoesNotExist, Gt or Lt.', {
      goType: 'v1.NodeSelectorOperator',
      publishedEnum: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'],
    }),
    values: field(3, atomicList(string), 'Operands; none for Exists and DoesNotExist, a single integer for Gt and Lt.'),
  }),
)

export const NodeSelectorTerm = message('NodeSelectorTerm', 'Requirements that must all hold; a term without any matches nothing.', () => ({
  matchExpressions: field(1, atomicList(NodeSelectorRequirement), 'Requirements on node labels.'),
  matchFields: field(2, atomicList(NodeSelectorRequirement), 'Requirements on node fields; only metadata.name is known.'),
})).with({ atomic: true })

export const NodeSelector = message('NodeSelector', 'Picks the nodes that satisfy at least one of the terms.', () => ({
  nodeSelectorTerms: required(1, atomicList(NodeSelectorTerm), 'Alternatives, of which one is enough.'),
})).with({ atomic: true })

export const PreferredSchedulingTerm = message(
  'PreferredSchedulingTerm',
  'A weighted wish about nodes; an empty preference matches every node.',
  () => ({
    weight: required(1, int32, 'Points for a node that matches, from 1 to 100.'),
    preference: required(2, NodeSelectorTerm, 'Term that the node is compared with.'),
  }),
)

export const NodeAffinity = message('NodeAffinity', 'Rules that tie a pod to nodes by their labels and fields.', () => ({
  requiredDuringSchedulingIgnoredDuringExecution: pointer(
    1,
    NodeSelector,
    'Must hold when the pod is placed; later changes of the node do not evict it.',
  ),
  preferredDuringSchedulingIgnoredDuringExecution: field(
    2,
    atomicList(PreferredSchedulingTerm),
    'Wishes; the node with the greatest sum of weights wins.',
  ),
}))

export const PodAffinityTerm = message(
  'PodAffinityTerm',
  'A set of pods and the topology in which this pod is placed together with, or apart from, them.',
  () => ({
    labelSelector: pointer(1, LabelSelector, 'Selects the other pods by label; absent selects none.'),
    namespaces: field(2, atomicList(string), "Namespaces of the other pods; empty with no namespaceSelector means the pod's own."),
    topologyKey: required(3, string, 'Node label whose equal values make nodes one place, such as a zone.'),
    namespaceSelector: pointer(4, LabelSelector, 'Selects further namespaces by label; {} selects all of them.'),
    matchLabelKeys: field(5, atomicList(string), 'Keys whose values on this pod the other pods must share.'),
    mismatchLabelKeys: field(6, atomicList(string), 'Keys whose values on this pod the other pods must not share.'),
  }),
)

export const WeightedPodAffinityTerm = message('WeightedPodAffinityTerm', 'A pod affinity term with the points that it is worth.', () => ({
  weight: required(1, int32, 'Points for a node that satisfies the term, from 1 to 100.'),
  podAffinityTerm: required(2, PodAffinityTerm, 'The term.'),
}))

export const PodAffinity = message('PodAffinity', 'Rules that place a pod near other pods.', () => ({
  requiredDuringSchedulingIgnoredDuringExecution: field(1, atomicList(PodAffinityTerm), 'Terms that must all hold when the pod is placed.'),
  preferredDuringSchedulingIgnoredDuringExecution: field(
    2,
    atomicList(WeightedPodAffinityTerm),
    'Terms that earn points while nodes are ranked.',
  ),
}))

export const PodAntiAffinity = message('PodAntiAffinity', 'Rules that keep a pod away from other pods.', () => ({
  requiredDuringSchedulingIgnoredDuringExecution: field(
    1,
    atomicList(PodAffinityTerm),
    'Terms none of which may be violated when the pod is placed.',
  ),
  preferredDuringSchedulingIgnoredDuringExecution: field(
    2,
    atomicList(WeightedPodAffinityTerm),
    'Terms that cost points while nodes are ranked.',
  ),
}))

export const Affinity = message('Affinity', 'All placement rules of a pod.', () => ({
  nodeAffinity: pointer(1, NodeAffinity, 'Rules about nodes.'),
  podAffinity: pointer(2, PodAffinity, 'Rules that attract the pod to others.'),
  podAntiAffinity: pointer(3, PodAntiAffinity, 'Rules that repel the pod from others.'),
}))
