import { field, int64, message, required, string, time } from '../../schema/model.ts'
import { ConditionStatus } from './enums.ts'

export const Condition = message('Condition', 'One observation about an object.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.'),
  status: required(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
  observedGeneration: field(3, int64, 'Generation of the spec that the condition speaks about.'),
  lastTransitionTime: required(4, time, 'When the status last changed from one value to another.'),
  reason: required(5, string, 'One word in CamelCase that programs can match.'),
  message: required(6, string, 'Details for people.'),
})).with({ versioned: true })

const status = required(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus })
const lastTransition = (tag: number) => field(tag, time, 'When the status last changed from one value to another.')
const reason = (tag: number) => field(tag, string, 'One word in CamelCase that programs can match.')
const text = (tag: number) => field(tag, string, 'Details for people.')

/** Fields of the conditions of kinds that are older than `Condition`, beside their type. */
export const conditionFields = { status, lastTransitionTime: lastTransition(3), reason: reason(4), message: text(5) }

/** As `conditionFields`, of conditions that also say when they were checked. */
export const probedConditionFields = {
  status,
  lastProbeTime: field(3, time, 'When the condition was last checked.'),
  lastTransitionTime: lastTransition(4),
  reason: reason(5),
  message: text(6),
}
