import { FieldPath } from '../../schema/field-path.ts'
import {
  atomicList,
  field,
  type Infer,
  int32,
  int64,
  intOrString,
  keyedList,
  message,
  pointer,
  required,
  requiredPointer,
  string,
} from '../../schema/model.ts'
import { PersistentVolumeClaim } from '../core/persistentvolumeclaim.ts'
import { PodTemplateSpec } from '../core/pod-template.ts'
import { templateWarnings } from '../core/template-warnings.ts'
import { claimSpecWarnings } from '../core/volume-warnings.ts'
import { resource } from '../definition.ts'
import { conditionFields } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { statefulSetColumns } from './columns.ts'
import { validateStatefulSet, validateStatefulSetUpdate } from './statefulset-validation.ts'
import { validateCollisionCount, validateReplicaCounts } from './status-validation.ts'

export const PersistentVolumeClaimRetentionPolicyType = ['Retain', 'Delete'] as const

export const RollingUpdateStatefulSetStrategy = message(
  'RollingUpdateStatefulSetStrategy',
  'Ordinals that a rolling update covers, and how many pods may be missing meanwhile.',
  () => ({
    partition: pointer(1, int32, 'Only pods with this ordinal or a greater one are updated.', { min: 0 }),
    maxUnavailable: pointer(2, intOrString, 'Pods, or percentage, that may be down at a time; 1 by default.', {
      gate: 'MaxUnavailableStatefulSet',
    }),
  }),
)

export const StatefulSetUpdateStrategy = message(
  'StatefulSetUpdateStrategy',
  'Strategy for replacing the pods of a stateful set, with its settings.',
  () => ({
    type: field(1, string, 'RollingUpdate, or OnDelete to wait until pods are deleted.', {
      goType: 'v1.StatefulSetUpdateStrategyType',
      enum: ['RollingUpdate', 'OnDelete'],
    }),
    rollingUpdate: pointer(2, RollingUpdateStatefulSetStrategy, 'Reach and pace of a rolling update.'),
  }),
).with({
  defaults(strategy, { settings }) {
    if (strategy.type === undefined) {
      strategy.type = 'RollingUpdate'
      strategy.rollingUpdate ??= {}
    }
    if (strategy.type !== 'RollingUpdate' || !strategy.rollingUpdate) return
    strategy.rollingUpdate.partition ??= 0
    if (settings.enabled('MaxUnavailableStatefulSet')) strategy.rollingUpdate.maxUnavailable ??= 1
  },
})

export const StatefulSetPersistentVolumeClaimRetentionPolicy = message(
  'StatefulSetPersistentVolumeClaimRetentionPolicy',
  'What happens to claims created from the templates: Retain or Delete.',
  () => ({
    whenDeleted: field(1, string, 'When the set is deleted.', {
      goType: 'v1.PersistentVolumeClaimRetentionPolicyType',
      openEnum: PersistentVolumeClaimRetentionPolicyType,
    }),
    whenScaled: field(2, string, 'When the set shrinks.', {
      goType: 'v1.PersistentVolumeClaimRetentionPolicyType',
      openEnum: PersistentVolumeClaimRetentionPolicyType,
    }),
  }),
).with({
  defaults(policy) {
    policy.whenDeleted ??= 'Retain'
    policy.whenScaled ??= 'Retain'
  },
})

export const StatefulSetOrdinals = message('StatefulSetOrdinals', 'Number of the first pod; the others follow.', () => ({
  start: field(1, int32, 'Number of the first pod; 0 by default.', { omitEmpty: false, min: 0 }),
}))

type Spec = Infer<typeof StatefulSetSpec>
type Claim = NonNullable<Spec['volumeClaimTemplates']>[number]

const claimType = { kind: 'PersistentVolumeClaim', apiVersion: 'v1' }

/** Adds kind and apiVersion to the claim, with members in schema order. */
function completeClaim(claim: Claim): Claim {
  const status = claim.status ?? {}
  status.phase ??= 'Pending'
  const { kind, apiVersion } = claim as Partial<typeof claimType>
  if (kind === claimType.kind && apiVersion === claimType.apiVersion && claim.status === status) return claim
  // Spreading takes ten times as long.
  const complete: { [name: string]: unknown } = { kind: claimType.kind, apiVersion: claimType.apiVersion }
  for (const [name, value] of Object.entries(claim)) complete[name] ??= value
  complete['status'] = status
  return complete as Claim
}

export const StatefulSetSpec = message('StatefulSetSpec', 'What a stateful set runs.', () => ({
  replicas: pointer(1, int32, 'Desired number of pods; 1 by default.', { min: 0 }),
  selector: requiredPointer(2, LabelSelector, 'Labels of its pods; the template must have them; cannot be changed.'),
  template: required(3, PodTemplateSpec, 'Template of its pods, which are named <set>-<ordinal>.'),
  volumeClaimTemplates: field(4, atomicList(PersistentVolumeClaim), 'Claims that every pod gets; they win over volumes of the same name.'),
  serviceName: field(5, string, 'Headless service that gives the pods their DNS names.', { omitEmpty: false }),
  podManagementPolicy: field(6, string, 'OrderedReady, or Parallel to start and stop all pods at the same time.', {
    goType: 'v1.PodManagementPolicyType',
    enum: ['OrderedReady', 'Parallel'],
  }),
  updateStrategy: field(7, StatefulSetUpdateStrategy, 'How pods are replaced after a change.'),
  revisionHistoryLimit: pointer(8, int32, 'Number of old revisions to keep; 10 by default, all when it is negative.'),
  minReadySeconds: field(9, int32, 'Seconds for which a pod must be ready to count as available.', { min: 0 }),
  persistentVolumeClaimRetentionPolicy: pointer(10, StatefulSetPersistentVolumeClaimRetentionPolicy, "What happens to the pods' claims."),
  ordinals: pointer(11, StatefulSetOrdinals, 'Numbering of the pods.'),
})).with({
  defaults(spec) {
    spec.podManagementPolicy ??= 'OrderedReady'
    spec.replicas ??= 1
    spec.revisionHistoryLimit ??= 10
    spec.persistentVolumeClaimRetentionPolicy ??= {}
    if (spec.volumeClaimTemplates) spec.volumeClaimTemplates = spec.volumeClaimTemplates.map(completeClaim)
  },
  byKind: true,
})

export const StatefulSetCondition = message('StatefulSetCondition', 'An observation about a stateful set.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', { goType: 'v1.StatefulSetConditionType' }),
  ...conditionFields,
}))

export const StatefulSetStatus = message('StatefulSetStatus', 'State of a stateful set.', () => ({
  observedGeneration: field(1, int64, 'Generation of the spec that this status was computed from.'),
  replicas: required(2, int32, 'Number of its pods.'),
  readyReplicas: field(3, int32, 'Pods that are ready.'),
  currentReplicas: field(4, int32, 'Pods of the current revision.'),
  updatedReplicas: field(5, int32, 'Pods of the new revision.'),
  currentRevision: field(6, string, 'Revision of the pods that are not updated yet.'),
  updateRevision: field(7, string, 'Revision of the pods that are updated.'),
  collisionCount: pointer(9, int32, 'Collisions of revision names so far.'),
  conditions: keyedList(10, StatefulSetCondition, 'type', 'Latest observations, one per condition type.'),
  availableReplicas: field(11, int32, 'Pods that have been ready for minReadySeconds.', { omitEmpty: false }),
}))

export const StatefulSet = object(
  'StatefulSet',
  'Runs pods with names, order and storage that last.',
  specAndStatus(StatefulSetSpec, StatefulSetStatus),
)

function* ownWarnings({ spec }: Infer<typeof StatefulSet>): Iterable<string> {
  const at = FieldPath.of('spec', 'volumeClaimTemplates')
  for (const [index, claim] of (spec?.volumeClaimTemplates ?? []).entries()) yield* claimSpecWarnings(claim.spec, at.index(index))
  if ((spec?.revisionHistoryLimit ?? 0) < 0) {
    yield 'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'
  }
}

export const statefulSets = resource({
  group: 'apps',
  version: 'v1',
  names: ['statefulsets', 'statefulset', 'sts'],
  categories: ['all'],
  schema: StatefulSet,
  bare: { spec: { replicas: 0 } },
  columns: statefulSetColumns,
  lifecycle: { introduced: '1.9' },
  status: true,
  scale: { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas', selector: '.spec.selector' },
  nameFormat: 'dns1123Label',
  generation: 'spec',
  strategy: {
    validate: validateStatefulSet,
    validateUpdate: validateStatefulSetUpdate,
    warnings: templateWarnings('.spec.template', { own: ownWarnings }),
    validateStatus({ status }, old, errors) {
      const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const
      validateReplicaCounts(status, parts, { ready: 'status.readyReplicas' }, errors)
      validateCollisionCount(status, old.status, errors)
    },
  },
})
