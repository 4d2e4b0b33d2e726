import { atomicList, field, keyedList, message, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { Condition } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { validateServiceCIDR } from './address-validation.ts'
import { serviceCIDRColumns } from './columns.ts'

export const ServiceCIDRSpec = message('ServiceCIDRSpec', 'Address ranges for services.', () => ({
  cidrs: field(1, atomicList(string), 'One range per family, at most two; existing ones cannot be changed.'),
}))

export const ServiceCIDRStatus = message('ServiceCIDRStatus', 'State of the ranges.', () => ({
  conditions: keyedList(1, Condition, 'type', 'Latest observations, one per condition type.'),
}))

export const ServiceCIDR = object(
  'ServiceCIDR',
  'Ranges from which services get their addresses.',
  specAndStatus(ServiceCIDRSpec, ServiceCIDRStatus),
)

export const serviceCIDRs = resource({
  group: 'networking.<domain>',
  version: 'v1',
  names: ['servicecidrs', 'servicecidr'],
  namespaced: false,
  schema: ServiceCIDR,
  columns: serviceCIDRColumns,
  lifecycle: { introduced: '1.33' },
  status: true,
  statusKeeps: 'metadata',
  strategy: { validate: validateServiceCIDR },
})
