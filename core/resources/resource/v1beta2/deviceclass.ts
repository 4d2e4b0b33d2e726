import { resource } from '../../definition.ts'
import { plainColumns } from '../columns.ts'
import { DeviceClass } from '../deviceclass.ts'

export const deviceClasses = resource({
  group: 'resource.<domain>',
  version: 'v1beta2',
  kind: 'DeviceClass',
  names: ['deviceclasses', 'deviceclass'],
  namespaced: false,
  schema: DeviceClass,
  columns: plainColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1',
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
  generation: 'spec',
})
