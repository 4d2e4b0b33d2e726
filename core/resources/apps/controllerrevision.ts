import { FieldPath } from '../../schema/field-path.ts'
import { any, field, int64, message, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { controllerRevisionColumns } from './columns.ts'

export const ControllerRevision = message(
  'ControllerRevision',
  'A stored state of a workload, to roll back to; its data never changes.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    data: field(2, any, 'The state.', { immutable: true }),
    revision: required(3, int64, 'Number that grows with each revision.', { min: 0 }),
  },
  {
    typeMeta: true,
    validate({ data }, _, errors) {
      if (data == null) errors.required(FieldPath.of('data'), 'data is mandatory')
    },
  },
)

export const controllerRevisions = resource({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  names: ['controllerrevisions', 'controllerrevision'],
  schema: ControllerRevision,
  columns: controllerRevisionColumns,
  lifecycle: { introduced: '1.9' },
})
