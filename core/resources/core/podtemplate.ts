import { FieldPath } from '../../schema/field-path.ts'
import { field } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { podTemplateColumns } from './columns.ts'
import { objectValidation } from './object-validation.ts'
import { PodTemplateSpec } from './pod-template.ts'
import { validatePodTemplate } from './pod-validation.ts'
import { templateWarnings } from './template-warnings.ts'

export const PodTemplate = object('PodTemplate', 'A stored template for pods.', () => ({
  template: field(2, PodTemplateSpec, 'The template.'),
}))

export const podTemplates = resource({
  group: '',
  version: 'v1',
  names: ['podtemplates', 'podtemplate'],
  schema: PodTemplate,
  columns: podTemplateColumns,
  generation: 'spec',
  returnsDeleted: true,
  strategy: {
    validate: objectValidation(({ template = {} }, errors, context) =>
      validatePodTemplate(template, FieldPath.of('template'), errors, context),
    ),
    warnings: templateWarnings('.template'),
  },
  lifecycle: { introduced: '1.0' },
})
