import { FieldPath } from '../../schema/field-path.ts'
import { field, int32, int64, keyedList, message, pointer, required, requiredPointer, string } from '../../schema/model.ts'
import { PodTemplateSpec } from '../core/pod-template.ts'
import { templateWarnings } from '../core/template-warnings.ts'
import { resource } from '../definition.ts'
import { conditionFields } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { replicaSetColumns } from './columns.ts'
import { validateReplicaSetSpec } from './deployment-validation.ts'
import { validateReplicaCounts } from './status-validation.ts'

export const ReplicaSetSpec = message('ReplicaSetSpec', 'What a replica set maintains.', () => ({
  replicas: pointer(1, int32, 'Desired number of pods; 1 by default.', { min: 0 }),
  minReadySeconds: field(4, int32, 'Seconds for which a pod must be ready to count as available.', { min: 0 }),
  selector: requiredPointer(2, LabelSelector, 'Labels of its pods; the template must have them; cannot be changed.', { immutable: true }),
  template: field(3, PodTemplateSpec, 'Template of its pods.'),
})).with({
  defaults(spec) {
    spec.replicas ??= 1
  },
  byKind: true,
})

export const ReplicaSetCondition = message('ReplicaSetCondition', 'An observation about a replica set.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', { goType: 'v1.ReplicaSetConditionType', openEnum: ['ReplicaFailure'] }),
  ...conditionFields,
}))

export const ReplicaSetStatus = message('ReplicaSetStatus', 'State of a replica set.', () => ({
  replicas: required(1, int32, 'Number of its pods.'),
  fullyLabeledReplicas: field(2, int32, 'Pods with all labels of the template.'),
  readyReplicas: field(4, int32, 'Pods that are ready.'),
  availableReplicas: field(5, int32, 'Pods that have been ready for minReadySeconds.'),
  terminatingReplicas: pointer(7, int32, 'Pods that are being removed.', { gate: 'DeploymentReplicaSetTerminatingReplicas' }),
  observedGeneration: field(3, int64, 'Generation of the spec that this status was computed from.'),
  conditions: keyedList(6, ReplicaSetCondition, 'type', 'Latest observations, one per condition type.'),
}))

export const ReplicaSet = object('ReplicaSet', 'Keeps a number of equal pods running.', specAndStatus(ReplicaSetSpec, ReplicaSetStatus))

export const replicaSets = resource({
  group: 'apps',
  version: 'v1',
  names: ['replicasets', 'replicaset', 'rs'],
  categories: ['all'],
  schema: ReplicaSet,
  bare: { spec: { replicas: 0 } },
  columns: replicaSetColumns,
  lifecycle: { introduced: '1.9' },
  status: true,
  scale: { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas', selector: '.spec.selector' },
  generation: 'spec',
  strategy: {
    validate: ({ spec }, errors, context) => spec && validateReplicaSetSpec(spec, FieldPath.of('spec'), errors, context),
    validateStatus: ({ status }, _, errors) =>
      validateReplicaCounts(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], { ready: 'readyReplicas' }, errors),
    warnings: templateWarnings('.spec.template', { namesPods: true }),
  },
})
