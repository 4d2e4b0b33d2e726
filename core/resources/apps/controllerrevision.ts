import { FieldPath } from '../../schema/field-path.ts'
import { isRawObject } from '../../schema/json/raw.ts'
import { field, int64, raw, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { controllerRevisionColumns } from './columns.ts'

export const ControllerRevision = object(
  'ControllerRevision',
  'A stored state of a workload, to roll back to; its data never changes.',
  () => ({
    data: field(2, raw, 'The state.', { immutable: true }),
    revision: required(3, int64, 'Number that grows with each revision.', { min: 0 }),
  }),
)

export const controllerRevisions = resource({
  group: 'apps',
  version: 'v1',
  names: ['controllerrevisions', 'controllerrevision'],
  metadataOnUpdate: ['update', 'object'],
  schema: ControllerRevision,
  columns: controllerRevisionColumns,
  lifecycle: { introduced: '1.9' },
  strategy: {
    validate({ data }, errors, _context, old) {
      if (old) return
      const at = FieldPath.of('data')
      if (data == null) errors.required(at, 'data is mandatory')
      else if (!isRawObject(data)) errors.required(at, 'data must be a valid JSON object')
    },
  },
})
