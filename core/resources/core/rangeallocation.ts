import { bytes, required, string } from '../../schema/model.ts'
import { object } from '../meta/object.ts'

export const RangeAllocation = object('RangeAllocation', 'Record of the addresses or ports that are taken (internal).', {
  range: required(2, string, 'The range, as text.'),
  data: required(3, bytes, 'Bit map of what is taken.'),
})
