import { FieldPath } from '../../schema/field-path.ts'
import { field, map, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { volumeAttributesClassColumns } from './columns.ts'
import { forbidUpdates, validateDriverName, validateParameters } from './storage-validation.ts'

export const VolumeAttributesClass = object('VolumeAttributesClass', 'Attributes of volumes that can be changed later.', () => ({
  driverName: required(2, string, 'Driver that understands them; cannot be changed.'),
  parameters: field(3, map(string), 'The attributes; cannot be changed.'),
}))

export const volumeAttributesClasses = resource({
  group: 'storage.<domain>',
  version: 'v1',
  names: ['volumeattributesclasses', 'volumeattributesclass', 'vac'],
  metadataOnUpdate: ['update', 'changes', 'object'],
  namespaced: false,
  schema: VolumeAttributesClass,
  columns: volumeAttributesClassColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.34' },
  strategy: {
    validate({ driverName, parameters }, errors) {
      validateDriverName(driverName, FieldPath.of('driverName'), errors)
      validateParameters(parameters, { allowEmpty: false }, errors)
    },
    validateUpdate: (object, old, errors) => forbidUpdates(object, old, ['driverName', 'parameters'], errors),
  },
})
