import { field, int64, message, required, string, time } from '../../schema/model.ts'
import { ConditionStatus } from './enums.ts'

export const Condition = message('Condition', 'One observation about an object.', {
  type: required(1, string, 'Aspect that is judged, in CamelCase.'),
  status: required(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
  observedGeneration: field(3, int64, 'Generation of the spec that the condition speaks about.'),
  lastTransitionTime: required(4, time, 'When the status last changed from one value to another.'),
  reason: required(5, string, 'One word in CamelCase that programs can match.'),
  message: required(6, string, 'Details for people.'),
}).with({ versioned: true })
