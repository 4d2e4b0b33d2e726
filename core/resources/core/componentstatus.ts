import { field, keyedList, message, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { componentStatusColumns } from './columns.ts'
import { ConditionStatus } from './enums.ts'

export const ComponentCondition = message('ComponentCondition', 'Health of one control plane component.', () => ({
  type: required(1, string, 'Always Healthy.', { goType: 'v1.ComponentConditionType', openEnum: ['Healthy'] }),
  status: required(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
  message: field(3, string, 'Result of the health check.'),
  error: field(4, string, 'Code of a failed health check.'),
}))

export const ComponentStatus = object('ComponentStatus', 'Health of a control plane component (deprecated).', () => ({
  conditions: keyedList(2, ComponentCondition, 'type', 'Results of the health checks.'),
}))

export const componentStatuses = resource({
  group: '',
  version: 'v1',
  names: ['componentstatuses', 'componentstatus', 'cs'],
  namespaced: false,
  verbs: ['get', 'list'],
  schema: ComponentStatus,
  columns: componentStatusColumns,
  storageKey: '',
  action: 'componentStatuses',
  lifecycle: { introduced: '1.0', deprecated: '1.19' },
})
