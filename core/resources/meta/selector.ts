import { formats } from '../../schema/formats/formats.ts'
import { atomicList, field, map, message, required, string } from '../../schema/model.ts'
import { validateLabels } from '../../schema/object-meta.ts'

export const LabelSelectorRequirement = message('LabelSelectorRequirement', 'One comparison of a label with a set of values.', () => ({
  key: required(1, string, 'Label key.'),
  operator: required(2, string, 'In, NotIn, Exists or DoesNotExist.', {
    goType: 'v1.LabelSelectorOperator',
    openEnum: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
  }),
  values: field(3, atomicList(string), 'Operands; none for Exists and DoesNotExist.'),
})).with({
  versioned: true,
  validate({ key, operator, values = [] }, path, errors) {
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0) errors.required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0) errors.forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    } else errors.invalid(path.child('operator'), operator, 'not a valid selector operator')
    for (const problem of formats.labelKey(key)) errors.invalid(path.child('key'), key, problem)
    errors.forgivable('values in label selectors', () => {
      values.forEach((value, index) => {
        for (const problem of formats.labelValue(value)) errors.invalid(path.child('values').index(index), value, problem)
      })
    })
  },
})

export const LabelSelector = message(
  'LabelSelector',
  'Selects objects by label; all parts must hold, and an empty one selects everything.',
  () => ({
    matchLabels: field(1, map(string), 'Labels that the object must have.'),
    matchExpressions: field(2, atomicList(LabelSelectorRequirement), 'Requirements on labels.'),
  }),
).with({
  atomic: true,
  versioned: true,
  validateFirst({ matchLabels }, path, errors) {
    validateLabels(matchLabels, path.child('matchLabels'), errors)
  },
})

export const FieldSelectorRequirement = message('FieldSelectorRequirement', 'One comparison of a field with a set of values.', () => ({
  key: required(1, string, 'Path of the field.'),
  operator: required(2, string, 'In, NotIn, Exists or DoesNotExist.', {
    goType: 'v1.FieldSelectorOperator',
    openEnum: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
  }),
  values: field(3, atomicList(string), 'Operands; none for Exists and DoesNotExist.'),
}))
