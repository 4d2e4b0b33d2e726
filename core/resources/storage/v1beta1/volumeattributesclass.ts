import { resource } from '../../definition.ts'
import { volumeAttributesClassColumns } from '../columns.ts'
import { VolumeAttributesClass } from '../volumeattributesclass.ts'

export const volumeAttributesClasses = resource({
  group: 'storage.<domain>',
  version: 'v1beta1',
  kind: 'VolumeAttributesClass',
  names: ['volumeattributesclasses', 'volumeattributesclass', 'vac'],
  namespaced: false,
  schema: VolumeAttributesClass,
  columns: volumeAttributesClassColumns,
  returnsDeleted: true,
  storageVersion: 'storage.<domain>/v1',
  lifecycle: {
    introduced: '1.31',
    deprecated: '1.34',
    removed: '1.37',
    replacement: { group: 'storage.<domain>', version: 'v1', kind: 'VolumeAttributesClass' },
  },
})
