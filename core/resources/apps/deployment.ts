import { FieldPath } from '../../schema/field-path.ts'
import {
  bool,
  field,
  int32,
  int64,
  intOrString,
  keyedList,
  message,
  pointer,
  required,
  requiredPointer,
  string,
  time,
} from '../../schema/model.ts'
import { ConditionStatus } from '../core/enums.ts'
import { PodTemplateSpec } from '../core/pod-template.ts'
import { templateWarnings } from '../core/template-warnings.ts'
import { type ApiObject, resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { deploymentColumns } from './columns.ts'
import { validateDeploymentSpec } from './deployment-validation.ts'
import { annotationOf } from './integer-annotation.ts'
import { keepRollback, readRollback, rollbackTo } from './rollback.ts'
import { validateCollisionCount, validateReplicaCounts } from './status-validation.ts'

export const RollingUpdateDeployment = message(
  'RollingUpdateDeployment',
  'Bounds for pods that are missing or surplus while a deployment is updated.',
  () => ({
    maxUnavailable: pointer(1, intOrString, 'Pods, or percentage, that may be down at a time; 25% by default.'),
    maxSurge: pointer(2, intOrString, 'Pods, or percentage, above the desired number; 25% by default.'),
  }),
).with({
  // Inside of the reference they are no pointers.
  internalForm: ({ MaxUnavailable, MaxSurge }) => ({ MaxUnavailable: MaxUnavailable ?? 0, MaxSurge: MaxSurge ?? 0 }),
})

export const DeploymentStrategy = message(
  'DeploymentStrategy',
  'Strategy for replacing the pods of a deployment, with its settings.',
  () => ({
    type: field(1, string, 'RollingUpdate, or Recreate to stop all old pods first.', {
      goType: 'v1.DeploymentStrategyType',
      enum: ['Recreate', 'RollingUpdate'],
    }),
    rollingUpdate: pointer(2, RollingUpdateDeployment, 'Pace of a rolling update.'),
  }),
).with({
  defaults(strategy) {
    strategy.type ??= 'RollingUpdate'
    if (strategy.type === 'RollingUpdate') strategy.rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', ...strategy.rollingUpdate }
  },
})

export const DeploymentSpec = message('DeploymentSpec', 'What a deployment runs.', () => ({
  replicas: pointer(1, int32, 'Desired number of pods; 1 by default.', { min: 0 }),
  selector: requiredPointer(2, LabelSelector, 'Labels of its pods; the template must have them; cannot be changed.', { immutable: true }),
  template: required(3, PodTemplateSpec, 'Template of its pods.'),
  strategy: field(4, DeploymentStrategy, 'How pods are replaced after a change.', { patchStrategy: 'retainKeys' }),
  minReadySeconds: field(5, int32, 'Seconds for which a pod must be ready to count as available.', { min: 0 }),
  revisionHistoryLimit: pointer(6, int32, 'Number of old replica sets to keep; 10 by default.', { min: 0 }),
  paused: field(7, bool, 'Suspends the rollout of changes.'),
  progressDeadlineSeconds: pointer(9, int32, 'Seconds without progress until a rollout counts as failed; 600 by default.', { min: 0 }),
})).with({
  defaults(spec) {
    spec.replicas ??= 1
    spec.revisionHistoryLimit ??= 10
    spec.progressDeadlineSeconds ??= 600
  },
  byKind: true,
})

export const DeploymentCondition = message('DeploymentCondition', 'An observation about a deployment.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', {
    goType: 'v1.DeploymentConditionType',
    openEnum: ['Available', 'Progressing', 'ReplicaFailure'],
  }),
  status: required(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
  lastUpdateTime: field(6, time, 'When the condition was last written.'),
  lastTransitionTime: field(7, time, 'When the status last changed from one value to another.'),
  reason: field(4, string, 'One word in CamelCase that programs can match.'),
  message: field(5, string, 'Details for people.'),
}))

export const DeploymentStatus = message('DeploymentStatus', 'State of a deployment.', () => ({
  observedGeneration: field(1, int64, 'Generation of the spec that this status was computed from.'),
  replicas: field(2, int32, 'Pods in all its replica sets.'),
  updatedReplicas: field(3, int32, 'Pods of the current template.'),
  readyReplicas: field(7, int32, 'Pods that are ready.'),
  availableReplicas: field(4, int32, 'Pods that have been ready for minReadySeconds.'),
  unavailableReplicas: field(5, int32, 'Pods that are missing for full availability.'),
  terminatingReplicas: pointer(9, int32, 'Pods that are being removed.', { gate: 'DeploymentReplicaSetTerminatingReplicas' }),
  conditions: keyedList(6, DeploymentCondition, 'type', 'Latest observations, one per condition type.'),
  collisionCount: pointer(8, int32, 'Collisions of replica set names so far.'),
}))

export const Deployment = object(
  'Deployment',
  'Keeps pods running and rolls out changes of them.',
  specAndStatus(DeploymentSpec, DeploymentStatus),
)

export const deployments = resource({
  group: 'apps',
  version: 'v1',
  names: ['deployments', 'deployment', 'deploy'],
  categories: ['all'],
  schema: Deployment,
  bare: { spec: { replicas: 0 } },
  columns: deploymentColumns,
  fieldAnnotations: [rollbackTo],
  lifecycle: { introduced: '1.9' },
  status: true,
  statusKeeps: ['labels'],
  scale: { specReplicas: '.spec.replicas', statusReplicas: '.status.replicas', selector: '.spec.selector' },
  generation: 'specAndAnnotations',
  strategy: {
    convertGiven: readRollback,
    prepareStatus: (object, old) => keepRollback(object as ApiObject, old as ApiObject),
    validate: (deployment, errors, context) => {
      const { spec } = deployment
      if (spec) validateDeploymentSpec(spec, annotationOf(deployment as ApiObject, rollbackTo), FieldPath.of('spec'), errors, context)
    },
    validateStatus({ status }, old, errors) {
      validateReplicaCounts(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], { ready: 'readyReplicas' }, errors)
      validateCollisionCount(status, old.status, errors)
    },
    warnings: templateWarnings('.spec.template', { namesPods: true }),
  },
})
