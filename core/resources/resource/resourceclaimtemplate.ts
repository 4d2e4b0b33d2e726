import { field, message, required } from '../../schema/model.ts'
import { validateTemplateMeta } from '../core/template-meta.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { ResourceClaimSpec } from './claim.ts'
import { plainColumns } from './columns.ts'

export const ResourceClaimTemplateSpec = message('ResourceClaimTemplateSpec', 'Template of claims.', () => ({
  metadata: field(1, ObjectMeta, 'Labels and annotations of the claims.'),
  spec: required(2, ResourceClaimSpec, 'Spec of the claims.'),
})).with({
  validateFirst({ metadata }, path, errors) {
    validateTemplateMeta(metadata ?? {}, path.child('metadata'), errors)
  },
})

export const ResourceClaimTemplate = object('ResourceClaimTemplate', 'A template of claims; one is created for each pod.', () => ({
  spec: required(2, ResourceClaimTemplateSpec, 'The template; cannot be changed.', { immutable: true }),
}))

export const resourceClaimTemplates = resource({
  group: 'resource.<domain>',
  version: 'v1',
  names: ['resourceclaimtemplates', 'resourceclaimtemplate'],
  metadataOnUpdate: ['object', 'lateUpdate'],
  schema: ResourceClaimTemplate,
  columns: plainColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.34' },
})
