import { FieldPath } from '../../schema/field-path.ts'
import { bool, field, int32, message, pointer, string } from '../../schema/model.ts'
import { PreemptionPolicy } from '../core/enums.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { priorityClassColumns } from './columns.ts'
import { validatePriorityClass } from './priorityclass-validation.ts'

export const PriorityClass = message(
  'PriorityClass',
  'A name for a priority of pods.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    value: field(2, int32, 'The priority; greater is more important. Cannot be changed.', { omitEmpty: false }),
    globalDefault: field(3, bool, 'Applies to pods that name no class; true for one class at most.'),
    description: field(4, string, 'When to use the class.'),
    preemptionPolicy: pointer(5, string, 'PreemptLowerPriority or Never.', { enum: PreemptionPolicy, immutable: true }),
  },
  {
    typeMeta: true,
    defaults(object) {
      object.preemptionPolicy ??= 'PreemptLowerPriority'
    },
  },
)

export const priorityClasses = resource({
  group: 'scheduling.<domain>',
  version: 'v1',
  kind: 'PriorityClass',
  names: ['priorityclasses', 'priorityclass', 'pc'],
  namespaced: false,
  schema: PriorityClass,
  columns: priorityClassColumns,
  lifecycle: { introduced: '1.14' },
  generation: 'spec',
  strategy: {
    validate: validatePriorityClass,
    validateUpdate({ value = 0 }, old, errors) {
      if (value !== (old.value ?? 0)) errors.forbidden(FieldPath.of('value'), 'may not be changed in an update.')
    },
  },
})
