import { FieldPath } from '../../schema/field-path.ts'
import { atomicList, field, keyedList, map, message, pointer, required, string, withFacets } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { probedConditionFields } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { LabelSelector } from '../meta/selector.ts'
import { pairDataSources, validateClaimSpec, validateClaimStatus, validateClaimUpdate } from './claim-validation.ts'
import { claimWarnings } from './claim-warnings.ts'
import { PersistentVolumeAccessMode, PersistentVolumeMode } from './enums.ts'
import { objectValidation } from './object-validation.ts'
import { persistentVolumeClaimColumns } from './persistentvolume-columns.ts'
import { TypedLocalObjectReference, TypedObjectReference } from './references.ts'
import { resourceList } from './resource-list.ts'
import { VolumeResourceRequirements } from './resources.ts'

export const PersistentVolumeClaimSpec = message('PersistentVolumeClaimSpec', 'The storage requested by a claim.', () => ({
  accessModes: field(
    1,
    atomicList(withFacets(string, { enum: PersistentVolumeAccessMode })),
    'Ways in which the volume must be mountable.',
    { goType: 'v1.PersistentVolumeAccessMode' },
  ),
  selector: pointer(4, LabelSelector, 'Limits the choice to volumes with these labels.'),
  resources: field(2, VolumeResourceRequirements, 'Least amount of storage.'),
  volumeName: field(3, string, 'Volume that it is bound to.'),
  storageClassName: pointer(5, string, 'Requested class; empty for a volume without class, absent for the default class.'),
  volumeMode: pointer(6, string, 'Filesystem or Block.', { goType: 'v1.PersistentVolumeMode', enum: PersistentVolumeMode }),
  dataSource: pointer(7, TypedLocalObjectReference, 'Snapshot or claim to fill the new volume from.'),
  dataSourceRef: pointer(8, TypedObjectReference, 'Like dataSource, for any kind of object and from other namespaces.'),
  volumeAttributesClassName: pointer(9, string, "Class of the volume's changeable attributes.", { gate: 'VolumeAttributesClass' }),
})).with({
  defaults(spec) {
    spec.volumeMode ??= 'Filesystem'
  },
})

export const PersistentVolumeClaimTemplate = message(
  'PersistentVolumeClaimTemplate',
  'Template of the claim of an ephemeral volume.',
  () => ({
    metadata: field(1, ObjectMeta, 'Labels and annotations of the claim.'),
    spec: required(2, PersistentVolumeClaimSpec, 'Spec of the claim.'),
  }),
)

export const ModifyVolumeStatus = message('ModifyVolumeStatus', "Progress of a change of a volume's attributes class.", () => ({
  targetVolumeAttributesClassName: field(1, string, 'Class that is being applied.'),
  status: required(2, string, 'Pending, InProgress or Infeasible.', {
    goType: 'v1.PersistentVolumeClaimModifyVolumeStatus',
    enum: ['Pending', 'InProgress', 'Infeasible'],
  }),
}))

export const PersistentVolumeClaimCondition = message(
  'PersistentVolumeClaimCondition',
  'An observation about a claim, mostly about a resize.',
  () => ({
    type: required(1, string, 'Aspect that is judged, in CamelCase.', {
      goType: 'v1.PersistentVolumeClaimConditionType',
      openEnum: [
        'Resizing',
        'FileSystemResizePending',
        'ControllerResizeError',
        'NodeResizeError',
        'ModifyVolumeError',
        'ModifyingVolume',
        'Unused',
      ],
    }),
    ...probedConditionFields,
  }),
)

export const PersistentVolumeClaimStatus = message('PersistentVolumeClaimStatus', 'State of a claim.', () => ({
  phase: field(1, string, 'Pending, Bound or Lost.', { goType: 'v1.PersistentVolumeClaimPhase', enum: ['Pending', 'Bound', 'Lost'] }),
  accessModes: field(
    2,
    atomicList(withFacets(string, { enum: PersistentVolumeAccessMode })),
    'Ways in which the bound volume can be mounted.',
    { goType: 'v1.PersistentVolumeAccessMode' },
  ),
  capacity: field(3, resourceList, 'Resources of the bound volume.', { goType: 'v1.ResourceList' }),
  conditions: keyedList(4, PersistentVolumeClaimCondition, 'type', 'Latest observations, one per condition type.'),
  allocatedResources: field(5, resourceList, 'Resources set aside during a resize.', { goType: 'v1.ResourceList' }),
  allocatedResourceStatuses: field(
    7,
    map(
      withFacets(string, {
        enum: [
          'ControllerResizeInProgress',
          'ControllerResizeInfeasible',
          'NodeResizePending',
          'NodeResizeInProgress',
          'NodeResizeInfeasible',
        ],
      }),
    ),
    'Progress of a resize, by resource.',
    { goType: 'map[v1.ResourceName]v1.ClaimResourceStatus', extensions: { 'x-kubernetes-map-type': 'granular' } },
  ),
  currentVolumeAttributesClassName: pointer(8, string, 'Attributes class in force.', { gate: 'VolumeAttributesClass' }),
  modifyVolumeStatus: pointer(9, ModifyVolumeStatus, 'Progress of a change of the attributes class.', { gate: 'VolumeAttributesClass' }),
})).with({
  defaults(status) {
    status.phase ||= 'Pending'
  },
})

export const PersistentVolumeClaim = object(
  'PersistentVolumeClaim',
  'A request for storage by the user of a namespace.',
  specAndStatus(PersistentVolumeClaimSpec, PersistentVolumeClaimStatus),
)

export const persistentVolumeClaims = resource({
  group: '',
  version: 'v1',
  names: ['persistentvolumeclaims', 'persistentvolumeclaim', 'pvc'],
  metadataOnUpdate: ['update', 'object'],
  schema: PersistentVolumeClaim,
  columns: persistentVolumeClaimColumns,
  returnsDeleted: true,
  strategy: {
    prepareCreate(claim, context) {
      claim.status = { phase: 'Pending' }
      if (claim.spec) pairDataSources(claim.spec, undefined, context)
    },
    prepareUpdate({ spec }, old, context) {
      if (spec) pairDataSources(spec, old.spec, context)
    },
    validate: objectValidation(({ spec = {} }, errors, context) => validateClaimSpec(spec, FieldPath.of('spec'), errors, context)),
    validateUpdate: validateClaimUpdate,
    validateStatus: validateClaimStatus,
    warnings: claimWarnings,
  },
  lifecycle: { introduced: '1.0' },
  status: true,
})
