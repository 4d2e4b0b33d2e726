import { resource } from '../../definition.ts'
import { plainColumns } from '../columns.ts'
import { ResourceClaimTemplate } from '../resourceclaimtemplate.ts'

export const resourceClaimTemplates = resource({
  group: 'resource.<domain>',
  version: 'v1beta2',
  kind: 'ResourceClaimTemplate',
  names: ['resourceclaimtemplates', 'resourceclaimtemplate'],
  schema: ResourceClaimTemplate,
  columns: plainColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1',
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
})
