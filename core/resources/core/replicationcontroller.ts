import { field, int32, int64, keyedList, map, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { conditionFields } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { countAt } from '../selectable.ts'
import { replicationControllerColumns } from './columns.ts'
import { objectValidation } from './object-validation.ts'
import { PodTemplateSpec } from './pod-template.ts'
import {
  defaultFromTemplate,
  validateReplicationController,
  validateReplicationControllerStatus,
} from './replicationcontroller-validation.ts'
import { templateWarnings } from './template-warnings.ts'

export const ReplicationControllerSpec = message('ReplicationControllerSpec', 'What a replication controller maintains.', () => ({
  replicas: pointer(1, int32, 'Desired number of pods.', { default: 1 }),
  minReadySeconds: field(4, int32, 'Seconds for which a pod must be ready to count as available.', { default: 0 }),
  selector: field(2, map(string, { atomic: true }), 'Labels of its pods; those of the template by default.'),
  template: pointer(3, PodTemplateSpec, 'Template of its pods.'),
}))

export const ReplicationControllerCondition = message(
  'ReplicationControllerCondition',
  'An observation about a replication controller.',
  () => ({
    type: required(1, string, 'Aspect that is judged, in CamelCase.', {
      goType: 'v1.ReplicationControllerConditionType',
      openEnum: ['ReplicaFailure'],
    }),
    ...conditionFields,
  }),
)

export const ReplicationControllerStatus = message('ReplicationControllerStatus', 'State of a replication controller.', () => ({
  replicas: required(1, int32, 'Number of its pods.'),
  fullyLabeledReplicas: field(2, int32, 'Pods with all labels of the template.'),
  readyReplicas: field(4, int32, 'Pods that are ready.'),
  availableReplicas: field(5, int32, 'Pods that are ready for minReadySeconds.'),
  observedGeneration: field(3, int64, 'Generation of the spec that this status was computed from.'),
  conditions: keyedList(6, ReplicationControllerCondition, 'type', 'Latest observations, one per condition type.'),
}))

export const ReplicationController = object(
  'ReplicationController',
  'Keeps a number of equal pods running.',
  specAndStatus(ReplicationControllerSpec, ReplicationControllerStatus),
)

export const replicationControllers = resource({
  group: '',
  version: 'v1',
  names: ['replicationcontrollers', 'replicationcontroller', 'rc'],
  nameFormat: 'longName',
  categories: ['all'],
  schema: ReplicationController,
  columns: replicationControllerColumns,
  storageKey: 'controllers',
  strategy: {
    defaults: defaultFromTemplate,
    prepareStatus: (controller) => defaultFromTemplate(controller),
    validate: objectValidation(validateReplicationController),
    validateStatus: validateReplicationControllerStatus,
    warnings: templateWarnings('.spec.template', { namesPods: true, ofFormer: true }),
  },
  lifecycle: { introduced: '1.0' },
  status: true,
  scale: { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas', selector: '.spec.selector' },
  generation: 'spec',
  selectable: { 'status.replicas': countAt('.status.replicas') },
  defaultPropagation: 'Orphan',
})
