import { resource } from '../../definition.ts'
import { serviceCIDRColumns } from '../columns.ts'
import { ServiceCIDR } from '../servicecidr.ts'

export const serviceCIDRs = resource({
  group: 'networking.<domain>',
  version: 'v1beta1',
  kind: 'ServiceCIDR',
  names: ['servicecidrs', 'servicecidr'],
  namespaced: false,
  schema: ServiceCIDR,
  columns: serviceCIDRColumns,
  storageVersion: 'networking.<domain>/v1',
  lifecycle: { introduced: '1.31', deprecated: '1.34', removed: '1.37' },
  status: true,
  statusKeeps: 'metadata',
})
