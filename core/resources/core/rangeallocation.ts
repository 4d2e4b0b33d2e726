import { bytes, required, string } from '../../schema/model.ts'
import { object } from '../meta/object.ts'

export const RangeAllocation = object('RangeAllocation', 'Record of allocated addresses or ports (internal).', () => ({
  range: required(2, string, 'The range, as text.'),
  data: required(3, bytes, 'Bit map of the allocations.'),
}))
