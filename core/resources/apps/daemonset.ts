import { FieldPath } from '../../schema/field-path.ts'
import { field, int32, int64, intOrString, keyedList, message, pointer, required, requiredPointer, string } from '../../schema/model.ts'
import { PodTemplateSpec } from '../core/pod-template.ts'
import { templateWarnings } from '../core/template-warnings.ts'
import { type ApiObject, resource } from '../definition.ts'
import { conditionFields } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { validateCounts, validateUnchanged } from '../validation.ts'
import { daemonSetColumns } from './columns.ts'
import { validateDaemonSetSpec } from './daemonset-validation.ts'
import { validateCollisionCount } from './status-validation.ts'
import {
  copyTemplateGeneration,
  countTemplateGeneration,
  keepTemplateGeneration,
  readTemplateGeneration,
  startTemplateGeneration,
  templateGeneration,
} from './template-generation.ts'

export const RollingUpdateDaemonSet = message(
  'RollingUpdateDaemonSet',
  'Bounds for pods that are missing or surplus while a daemon set is updated.',
  () => ({
    maxUnavailable: pointer(1, intOrString, 'Pods, or percentage, that may be down at a time; 1 by default.'),
    maxSurge: pointer(2, intOrString, 'Nodes, or percentage, that may run the old and the new pod together.'),
  }),
)

export const DaemonSetUpdateStrategy = message(
  'DaemonSetUpdateStrategy',
  'Strategy for replacing the pods of a daemon set, with its settings.',
  () => ({
    type: field(1, string, 'RollingUpdate, or OnDelete to wait until pods are deleted.', {
      goType: 'v1.DaemonSetUpdateStrategyType',
      enum: ['RollingUpdate', 'OnDelete'],
    }),
    rollingUpdate: pointer(2, RollingUpdateDaemonSet, 'Pace of a rolling update.'),
  }),
).with({
  defaults(strategy) {
    strategy.type ??= 'RollingUpdate'
    if (strategy.type === 'RollingUpdate') strategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...strategy.rollingUpdate }
  },
})

export const DaemonSetSpec = message('DaemonSetSpec', 'What a daemon set runs.', () => ({
  selector: requiredPointer(1, LabelSelector, 'Labels of its pods; the template must have them; cannot be changed.'),
  template: required(2, PodTemplateSpec, 'Template of its pods.'),
  updateStrategy: field(3, DaemonSetUpdateStrategy, 'How pods are replaced after a change.'),
  minReadySeconds: field(4, int32, 'Seconds for which a pod must be ready to count as available.', { min: 0 }),
  revisionHistoryLimit: pointer(6, int32, 'Number of old revisions to keep; 10 by default.', { min: 0 }),
})).with({
  defaults(spec) {
    spec.revisionHistoryLimit ??= 10
  },
  byKind: true,
})

export const DaemonSetCondition = message('DaemonSetCondition', 'An observation about a daemon set.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', { goType: 'v1.DaemonSetConditionType' }),
  ...conditionFields,
}))

export const DaemonSetStatus = message('DaemonSetStatus', 'State of a daemon set.', () => ({
  currentNumberScheduled: required(1, int32, 'Nodes that run its pod and should.'),
  numberMisscheduled: required(2, int32, 'Nodes that run its pod and should not.'),
  desiredNumberScheduled: required(3, int32, 'Nodes that should run its pod.'),
  numberReady: required(4, int32, 'Nodes whose pod is ready.'),
  observedGeneration: field(5, int64, 'Generation of the spec that this status was computed from.'),
  updatedNumberScheduled: field(6, int32, 'Nodes that run the new pod.'),
  numberAvailable: field(7, int32, 'Nodes whose pod has been ready for minReadySeconds.'),
  numberUnavailable: field(8, int32, 'Nodes that should have an available pod and have none.'),
  collisionCount: pointer(9, int32, 'Collisions of revision names so far.'),
  conditions: keyedList(10, DaemonSetCondition, 'type', 'Latest observations, one per condition type.'),
}))

export const DaemonSet = object('DaemonSet', 'Runs one pod on each node that qualifies.', specAndStatus(DaemonSetSpec, DaemonSetStatus))

export const daemonSets = resource({
  group: 'apps',
  version: 'v1',
  names: ['daemonsets', 'daemonset', 'ds'],
  categories: ['all'],
  schema: DaemonSet,
  columns: daemonSetColumns,
  fieldAnnotations: [templateGeneration],
  bare: { metadata: { annotations: { [templateGeneration]: '0' } } },
  lifecycle: { introduced: '1.9' },
  status: true,
  generation: 'spec',
  strategy: {
    convertGiven: readTemplateGeneration,
    defaults: (object) => keepTemplateGeneration(object as ApiObject),
    prepareCreate: (object) => startTemplateGeneration(object as ApiObject),
    prepareUpdate: (object, old) => countTemplateGeneration(object as ApiObject, old as ApiObject),
    prepareStatus: (object, old) => copyTemplateGeneration(object as ApiObject, old as ApiObject),
    validate({ spec }, errors, context, old) {
      const path = FieldPath.of('spec')
      if (!spec) return
      if (old) validateUnchanged(spec.selector, old.spec?.selector, path.child('selector'), errors)
      validateDaemonSetSpec(spec, path, errors, context)
    },
    warnings: templateWarnings('.spec.template'),
    validateStatus({ status }, old, errors) {
      if (status) validateCounts(status, Object.keys(DaemonSetStatus.fields) as (keyof typeof status)[], FieldPath.of('status'), errors)
      validateCollisionCount(status, old.status, errors)
    },
  },
})
