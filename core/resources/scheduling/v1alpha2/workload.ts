import { FieldPath } from '../../../schema/field-path.ts'
import { field, int32, list, message, pointer, required, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { repeats, validateUnchanged } from '../../validation.ts'
import { workloadColumns } from '../columns.ts'
import { DisruptionMode } from './enums.ts'
import { PodGroupResourceClaim, PodGroupSchedulingConstraints, PodGroupSchedulingPolicy } from './pod-group-policy.ts'

export const PodGroupTemplate = message(
  'PodGroupTemplate',
  'Name, scheduling policy and constraints of pod groups that are created from it.',
  {
    name: required(1, string, 'DNS label, unique in the workload.', { notEmpty: true, format: 'dns1123Label' }),
    schedulingPolicy: required(2, PodGroupSchedulingPolicy, 'How the pods are scheduled.'),
    schedulingConstraints: pointer(3, PodGroupSchedulingConstraints, 'Where the pods are placed.', {
      gate: 'TopologyAwareWorkloadScheduling',
      omitEmpty: false,
    }),
    resourceClaims: field(4, list(PodGroupResourceClaim, { listType: 'map', keys: ['name'] }), 'Claims that the pods share.', {
      patchStrategy: 'merge,retainKeys',
      patchMergeKey: 'name',
      gate: 'DRAWorkloadResourceClaims',
    }),
    disruptionMode: pointer(5, string, 'Whether pods are preempted one by one (Pod) or together (PodGroup).', {
      goType: 'v1alpha2.DisruptionMode',
      enum: DisruptionMode,
      gate: 'WorkloadAwarePreemption',
    }),
    priorityClassName: field(6, string, 'Class that gives the groups their priority.', { gate: 'WorkloadAwarePreemption' }),
    priority: pointer(7, int32, 'Priority, filled in from the class.', { gate: 'WorkloadAwarePreemption' }),
  },
  { versioned: true },
)

export const TypedLocalObjectReference = message('TypedLocalObjectReference', 'Points at an object of any kind in the same namespace.', {
  apiGroup: field(1, string, 'Group of the object; empty for the core group.', { format: 'dns1123Subdomain' }),
  kind: required(2, string, 'Kind of the object.', { notEmpty: true, format: 'pathSegment' }),
  name: required(3, string, 'Name of the object.', { notEmpty: true, format: 'pathSegment' }),
})

const maxTemplates = 8

export const WorkloadSpec = message(
  'WorkloadSpec',
  'Parts of a workload.',
  {
    controllerRef: pointer(1, TypedLocalObjectReference, 'Object that runs the workload, for tools; cannot be changed once set.'),
    podGroupTemplates: required(2, list(PodGroupTemplate, { listType: 'map', keys: ['name'] }), 'Templates of its pod groups.', {
      immutable: true,
    }),
  },
  {
    validate({ podGroupTemplates }, path, errors) {
      const at = path.child('podGroupTemplates')
      // Required, so that absent is null.
      const names = (podGroupTemplates ?? []).map(({ name }) => name)
      if (names.length === 0) errors.required(at, 'must have at least one item')
      if (names.length > maxTemplates) errors.tooMany(at, names.length, maxTemplates)
      const isRepeat = repeats()
      names.forEach((name, index) => {
        if (isRepeat(name)) errors.duplicate(at.index(index), name)
      })
    },
  },
)

export const Workload = object('Workload', 'An application, as far as its scheduling is concerned.', {
  spec: required(2, WorkloadSpec, 'Desired state.'),
})

export const workloads = resource({
  group: 'scheduling.<domain>',
  version: 'v1alpha2',
  kind: 'Workload',
  names: ['workloads', 'workload'],
  gate: 'GenericWorkload',
  schema: Workload,
  columns: workloadColumns,
  lifecycle: { introduced: '1.36' },
  nameFormat: 'dns1123Label',
  strategy: {
    validateUpdate({ spec }, old, errors) {
      if (old.spec.controllerRef)
        validateUnchanged(spec.controllerRef, old.spec.controllerRef, FieldPath.of('spec', 'controllerRef'), errors)
    },
  },
})
