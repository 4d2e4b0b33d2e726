import { atomicList, field, int32, int64, message, pointer, required, string, time } from '../../schema/model.ts'
import { OwnerReference } from '../meta/objectmeta.ts'
import { LabelSelector } from '../meta/selector.ts'

export const NodeInclusionPolicy = ['Ignore', 'Honor'] as const

export const TaintEffect = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

export const PodSignature = message('PodSignature', 'Identifies a set of equal pods.', () => ({
  podController: pointer(1, OwnerReference, 'Controller that owns the pods.'),
}))

export const PreferAvoidPodsEntry = message('PreferAvoidPodsEntry', 'A set of pods that a node would rather not have.', () => ({
  podSignature: required(1, PodSignature, 'The pods.'),
  evictionTime: field(2, time, 'When they were added here.'),
  reason: field(3, string, 'Why, in one word.'),
  message: field(4, string, 'Why, in a sentence.'),
}))

export const AvoidPods = message('AvoidPods', 'Pods that a node would rather not have (in an annotation).', () => ({
  preferAvoidPods: field(1, atomicList(PreferAvoidPodsEntry), 'Sets of pods.'),
}))

export const Taint = message('Taint', 'Keeps pods off a node unless they tolerate it.', () => ({
  key: required(1, string, 'Key that tolerations name.'),
  value: field(2, string, 'Value that tolerations may name.'),
  effect: required(3, string, 'NoSchedule, PreferNoSchedule or NoExecute.', { goType: 'v1.TaintEffect', enum: TaintEffect }),
  timeAdded: pointer(4, time, 'When the taint was added.'),
}))

export const Toleration = message('Toleration', 'Lets a pod be on nodes with matching taints.', () => ({
  key: field(1, string, 'Key of the taints; empty with Exists for all.'),
  operator: field(2, string, 'Equal, Exists, Lt or Gt; Equal by default.', {
    goType: 'v1.TolerationOperator',
    enum: ['Exists', 'Equal', 'Lt', 'Gt'],
  }),
  value: field(3, string, 'Value to compare with; empty for Exists.'),
  effect: field(4, string, 'Effect of the taints; empty for all.', { goType: 'v1.TaintEffect', enum: TaintEffect }),
  tolerationSeconds: pointer(5, int64, 'Seconds until eviction by NoExecute; absent for never.'),
}))

export const TopologySpreadConstraint = message('TopologySpreadConstraint', 'How evenly equal pods are spread over a topology.', () => ({
  maxSkew: required(1, int32, 'Greatest difference between the fullest and the emptiest domain.'),
  topologyKey: required(2, string, 'Node label whose values are the domains.'),
  whenUnsatisfiable: required(3, string, 'DoNotSchedule, or ScheduleAnyway to treat it as a wish.', {
    goType: 'v1.UnsatisfiableConstraintAction',
    enum: ['DoNotSchedule', 'ScheduleAnyway'],
  }),
  labelSelector: pointer(4, LabelSelector, 'Pods that are counted.'),
  minDomains: pointer(5, int32, 'Least number of domains; with fewer, the emptiest counts as 0.'),
  nodeAffinityPolicy: pointer(6, string, "Honor counts only nodes that the pod's affinity allows; Ignore counts all.", {
    goType: 'v1.NodeInclusionPolicy',
    enum: NodeInclusionPolicy,
  }),
  nodeTaintsPolicy: pointer(7, string, 'Honor leaves out nodes with taints that are not tolerated; Ignore counts all.', {
    goType: 'v1.NodeInclusionPolicy',
    enum: NodeInclusionPolicy,
  }),
  matchLabelKeys: field(8, atomicList(string), 'Keys whose values on this pod counted pods must share.', {
    gate: 'MatchLabelKeysInPodTopologySpread',
  }),
}))

export const TopologySelectorLabelRequirement = message(
  'TopologySelectorLabelRequirement',
  'Values that a topology label may have.',
  () => ({
    key: required(1, string, 'Label key.'),
    values: required(2, atomicList(string), 'Allowed values.'),
  }),
)

export const TopologySelectorTerm = message('TopologySelectorTerm', 'Requirements on topology labels, all of which must hold.', () => ({
  matchLabelExpressions: field(1, atomicList(TopologySelectorLabelRequirement), 'The requirements.'),
})).with({ atomic: true })
