import { resource } from '../../definition.ts'
import { resourceSliceColumns } from '../columns.ts'
import { ResourceSlice, unselectableSlice } from '../resourceslice.ts'

export const resourceSlices = resource({
  group: 'resource.<domain>',
  version: 'v1beta2',
  kind: 'ResourceSlice',
  names: ['resourceslices', 'resourceslice'],
  namespaced: false,
  schema: ResourceSlice,
  columns: resourceSliceColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1',
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
  generation: 'spec',
  selectable: { 'spec.nodeName': '.spec.nodeName', 'spec.driver': '.spec.driver' },
  unselectable: unselectableSlice,
})
