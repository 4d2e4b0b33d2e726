import { bytes, field, message, required, string } from '../../schema/model.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'

export const RangeAllocation = message(
  'RangeAllocation',
  'Record of the addresses or ports that are taken (internal).',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    range: required(2, string, 'The range, as text.'),
    data: required(3, bytes, 'Bit map of what is taken.'),
  },
  { typeMeta: true },
)
