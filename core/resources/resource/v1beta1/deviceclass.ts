import { resource } from '../../definition.ts'
import { plainColumns } from '../columns.ts'
import { DeviceClass } from '../deviceclass.ts'

export const deviceClasses = resource({
  group: 'resource.<domain>',
  version: 'v1beta1',
  kind: 'DeviceClass',
  names: ['deviceclasses', 'deviceclass'],
  namespaced: false,
  schema: DeviceClass,
  columns: plainColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1',
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
  generation: 'spec',
})
