import { field, message, required } from '../../../schema/model.ts'
import { otherVersion } from '../../definition.ts'
import { object } from '../../meta/object.ts'
import { ObjectMeta } from '../../meta/objectmeta.ts'
import { resourceClaimTemplates as newer } from '../v1beta2/resourceclaimtemplate.ts'
import { ResourceClaimSpec } from './claim.ts'
import { templateConversion } from './conversion.ts'

export const ResourceClaimTemplateSpec = message('ResourceClaimTemplateSpec', 'Template of claims.', () => ({
  metadata: field(1, ObjectMeta, 'Labels and annotations of the claims.'),
  spec: required(2, ResourceClaimSpec, 'Spec of the claims.'),
}))

export const ResourceClaimTemplate = object('ResourceClaimTemplate', 'A template of claims; one is created for each pod.', () => ({
  spec: required(2, ResourceClaimTemplateSpec, 'The template; cannot be changed.'),
}))

export const resourceClaimTemplates = otherVersion(newer, {
  version: 'v1beta1',
  schema: ResourceClaimTemplate,
  conversion: templateConversion,
  lifecycle: { introduced: '1.32', deprecated: '1.35', removed: '1.38' },
})
