import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { equal } from '../../schema/json/equal.ts'
import { field, int32, type Json, type JsonObject, keyedList, message, pointer, required, string, time } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { asJson } from '../validation.ts'
import { priorityLevelConfigurationColumns } from './columns.ts'
import { ConditionStatus } from './enums.ts'
import { validateLevel } from './level-validation.ts'
import { mandatoryLevels } from './mandatory.ts'
import { validateConditions } from './validation.ts'

export const ExemptPriorityLevelConfiguration = message(
  'ExemptPriorityLevelConfiguration',
  'Settings of a level that is not limited.',
  () => ({
    nominalConcurrencyShares: pointer(1, int32, "Share of the server's seats that it is reckoned with; 0 by default."),
    lendablePercent: pointer(2, int32, 'Percentage of its seats that others may borrow.'),
  }),
).with({
  defaults(level) {
    level.nominalConcurrencyShares ??= 0
    level.lendablePercent ??= 0
  },
})

export const QueuingConfiguration = message('QueuingConfiguration', 'Queues of a level.', () => ({
  queues: field(1, int32, 'Number of queues; 64 by default.', { omitEmpty: false }),
  handSize: field(2, int32, 'Queues that one flow is dealt, of which the shortest is used; 8 by default.', { omitEmpty: false }),
  queueLengthLimit: field(3, int32, 'Requests that a queue holds; 50 by default.', { omitEmpty: false }),
})).with({
  defaults(queuing) {
    queuing.queues ||= 64
    queuing.handSize ||= 8
    queuing.queueLengthLimit ||= 50
  },
})

export const LimitResponse = message('LimitResponse', 'Whether requests beyond the limit are rejected or queued.', () => ({
  type: required(1, string, 'Queue or Reject.', { goType: 'v1.LimitResponseType', openEnum: ['Queue', 'Reject'] }),
  queuing: pointer(2, QueuingConfiguration, 'The queues, with type Queue.'),
})).with({
  unions: [{ discriminator: 'type', members: ['queuing'] }],
})

export const LimitedPriorityLevelConfiguration = message(
  'LimitedPriorityLevelConfiguration',
  'Settings of a level that is limited.',
  () => ({
    nominalConcurrencyShares: pointer(1, int32, "Share of the server's seats; 30 by default.", { omitEmpty: false }),
    limitResponse: field(2, LimitResponse, 'What happens to requests that find no seat.'),
    lendablePercent: pointer(3, int32, 'Percentage of its seats that others may borrow.'),
    borrowingLimitPercent: pointer(4, int32, 'Percentage of its own seats that it may borrow; unbounded when absent.'),
  }),
).with({
  defaults(level) {
    level.nominalConcurrencyShares ??= 30
    level.lendablePercent ??= 0
  },
})

export const PriorityLevelConfigurationSpec = message(
  'PriorityLevelConfigurationSpec',
  'How a level is limited; the member named by type is set.',
  () => ({
    type: required(1, string, 'Exempt or Limited.', { goType: 'v1.PriorityLevelEnablement', openEnum: ['Exempt', 'Limited'] }),
    limited: pointer(2, LimitedPriorityLevelConfiguration, 'Settings of a limited level.'),
    exempt: pointer(3, ExemptPriorityLevelConfiguration, 'Settings of an exempt level.'),
  }),
).with({
  unions: [{ discriminator: 'type', members: ['exempt', 'limited'] }],
  byKind: true,
})

export const PriorityLevelConfigurationCondition = message(
  'PriorityLevelConfigurationCondition',
  'An observation about a priority level.',
  () => ({
    type: field(1, string, 'Aspect that is judged, in CamelCase.', { goType: 'v1.PriorityLevelConfigurationConditionType' }),
    status: field(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
    lastTransitionTime: field(3, time, 'When the status last changed from one value to another.'),
    reason: field(4, string, 'One word in CamelCase that programs can match.'),
    message: field(5, string, 'Details for people.'),
  }),
)

export const PriorityLevelConfigurationStatus = message('PriorityLevelConfigurationStatus', 'State of a priority level.', () => ({
  conditions: keyedList(1, PriorityLevelConfigurationCondition, 'type', 'Latest observations, one per condition type.'),
}))

export const PriorityLevelConfiguration = object(
  'PriorityLevelConfiguration',
  "A share of the server's capacity.",
  specAndStatus(PriorityLevelConfigurationSpec, PriorityLevelConfigurationStatus),
)

export const priorityLevelConfigurations = resource({
  group: 'flowcontrol.apiserver.<domain>',
  version: 'v1',
  names: ['prioritylevelconfigurations', 'prioritylevelconfiguration'],
  metadataOnUpdate: ['object'],
  namespaced: false,
  schema: PriorityLevelConfiguration,
  columns: priorityLevelConfigurationColumns,
  lifecycle: { introduced: '1.29' },
  status: true,
  statusKeeps: 'metadata',
  generation: 'spec',
  strategy: {
    validate({ metadata, spec }, errors, { platform }) {
      const roundTrip = platform.name('flowcontrol.<domain>/v1beta3-preserve-zero-concurrency-shares')
      if (metadata?.annotations?.[roundTrip] !== undefined)
        errors.forbidden(FieldPath.of('metadata', 'annotations'), `annotation '${roundTrip}' is forbidden`)
      const name = metadata?.name ?? ''
      validateLevel(name, spec ?? { type: '' }, FieldPath.of('spec'), errors)
      validateMandatory(name, asJson(spec), errors)
    },
    validateStatus: ({ status }, _old, errors) => validateConditions(status?.conditions ?? [], errors),
  },
})

/** Of the mandatory levels, only the lending of the exempt level can be changed. */
function validateMandatory(name: string, spec: Json, errors: FieldErrors): void {
  const fixed = Object.hasOwn(mandatoryLevels, name) ? mandatoryLevels[name] : undefined
  if (!fixed) return
  const exempt = name === 'exempt'
  const rest = (value: Json) => (exempt ? { ...(value as JsonObject), exempt: null } : value)
  const detail = `spec of '${name}' ${exempt ? "except the 'spec.exempt' field " : ''}must equal the fixed value`
  if (!equal(rest(spec), rest(fixed))) errors.invalid(FieldPath.of('spec'), spec, detail)
}
