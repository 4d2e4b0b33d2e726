import { FieldPath } from '../../schema/field-path.ts'
import { given } from '../../schema/json/given-empty.ts'
import { atomicList, bool, field, type HookContext, type Infer, map, pointer, required, string } from '../../schema/model.ts'
import { PersistentVolumeReclaimPolicy } from '../core/enums.ts'
import { deprecatedLabel } from '../core/node-label-warnings.ts'
import { TopologySelectorTerm } from '../core/scheduling.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { validateSupported, validateUnchanged } from '../validation.ts'
import { boundedWarnings } from '../warnings.ts'
import { storageClassColumns } from './columns.ts'
import { validateDriverName, validateParameters } from './storage-validation.ts'
import { validateTopologies } from './topology-validation.ts'

export const StorageClass = object(
  'StorageClass',
  'A kind of storage from which volumes are provisioned.',
  () => ({
    provisioner: required(2, string, 'Driver that provisions the volumes; cannot be changed.'),
    parameters: field(3, map(string), 'Parameters for the driver; cannot be changed.'),
    reclaimPolicy: pointer(4, string, 'What happens to volumes when their claim is deleted: Delete or Retain.', {
      goType: 'v1.PersistentVolumeReclaimPolicy',
      publishedEnum: PersistentVolumeReclaimPolicy,
    }),
    mountOptions: field(5, atomicList(string), 'Mount options of the volumes, unchecked.'),
    allowVolumeExpansion: pointer(6, bool, 'Volumes can grow.'),
    volumeBindingMode: pointer(7, string, 'When volumes are provisioned and bound: Immediate or WaitForFirstConsumer.', {
      goType: 'v1.VolumeBindingMode',
      publishedEnum: ['Immediate', 'WaitForFirstConsumer'],
    }),
    allowedTopologies: field(8, atomicList(TopologySelectorTerm), 'Where volumes can be provisioned; everywhere when empty.'),
  }),
  {
    defaults(object) {
      object.reclaimPolicy ??= 'Delete'
      object.volumeBindingMode ??= 'Immediate'
    },
  },
)

function* warningsOf({ allowedTopologies = [] }: Infer<typeof StorageClass>, { platform }: HookContext): Iterable<string> {
  for (const [index, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    const at = FieldPath.of('allowedTopologies').index(index).child('matchLabelExpressions')
    for (const [position, { key }] of matchLabelExpressions.entries()) {
      const message = deprecatedLabel(key, platform)
      if (message) yield `${at.index(position).child('key')}: ${message}`
    }
  }
}

export const storageClasses = resource({
  group: 'storage.<domain>',
  version: 'v1',
  names: ['storageclasses', 'storageclass', 'sc'],
  metadataOnUpdate: ['object', 'lateUpdate'],
  namespaced: false,
  schema: StorageClass,
  columns: storageClassColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.6' },
  strategy: {
    validate({ provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] }, errors) {
      validateDriverName(provisioner, FieldPath.of('provisioner'), errors)
      validateParameters(parameters, { allowEmpty: true }, errors)
      if (reclaimPolicy) validateSupported(reclaimPolicy, ['Delete', 'Retain'], FieldPath.of('reclaimPolicy'), errors)
      validateSupported(volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], FieldPath.of('volumeBindingMode'), errors)
      validateTopologies(allowedTopologies, FieldPath.of('allowedTopologies'), errors)
    },
    warnings: (object, _old, context) => boundedWarnings(warningsOf(object, context)),
    validateUpdate(object, old, errors) {
      for (const name of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const)
        validateUnchanged(object[name], old[name], FieldPath.of(name), errors, given(object, name))
    },
  },
})
