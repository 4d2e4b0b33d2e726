import { FieldPath } from '../../schema/field-path.ts'
import { bool, field, int32, pointer, string } from '../../schema/model.ts'
import { PreemptionPolicy } from '../core/enums.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { validateSupported, validateUnchanged } from '../validation.ts'
import { priorityClassColumns } from './columns.ts'
import { systemClassKept, validatePriorityClass } from './priorityclass-validation.ts'

export const PriorityClass = object(
  'PriorityClass',
  'A name for a priority of pods.',
  () => ({
    value: field(2, int32, 'The priority; greater is more important. Cannot be changed.', { omitEmpty: false }),
    globalDefault: field(3, bool, 'Applies to pods that name no class; true for one class at most.'),
    description: field(4, string, 'When to use the class.'),
    preemptionPolicy: pointer(5, string, 'PreemptLowerPriority or Never.', {
      goType: 'v1.PreemptionPolicy',
      publishedEnum: PreemptionPolicy,
    }),
  }),
  {
    defaults(object) {
      object.preemptionPolicy ??= 'PreemptLowerPriority'
    },
  },
)

export const priorityClasses = resource({
  group: 'scheduling.<domain>',
  version: 'v1',
  names: ['priorityclasses', 'priorityclass', 'pc'],
  namespaced: false,
  schema: PriorityClass,
  columns: priorityClassColumns,
  lifecycle: { introduced: '1.14' },
  generation: 'once',
  strategy: {
    undeletable: systemClassKept,
    validate(object, errors, _context, old) {
      validatePriorityClass(object, errors)
      const { preemptionPolicy: policy } = object
      if (old || policy === undefined) return
      if (policy === '') errors.required(FieldPath.of('preemptionPolicy'))
      else validateSupported(policy, PreemptionPolicy, FieldPath.of('preemptionPolicy'), errors)
    },
    validateUpdate({ value = 0, preemptionPolicy }, old, errors) {
      if (value !== (old.value ?? 0)) errors.forbidden(FieldPath.of('value'), 'may not be changed in an update.')
      validateUnchanged(preemptionPolicy, old.preemptionPolicy, FieldPath.of('preemptionPolicy'), errors)
    },
  },
})
