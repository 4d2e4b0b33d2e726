import { resource } from '../../definition.ts'
import { deviceTaintRuleColumns } from '../columns.ts'
import { DeviceTaintRule, taintRuleStrategy } from '../v1beta2/devicetaintrule.ts'

export const deviceTaintRules = resource({
  group: 'resource.<domain>',
  version: 'v1alpha3',
  names: ['devicetaintrules', 'devicetaintrule'],
  namespaced: false,
  schema: DeviceTaintRule,
  columns: deviceTaintRuleColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.33', deprecated: '1.36', removed: '1.39' },
  status: true,
  statusKeeps: 'metadata',
  generation: 'spec',
  strategy: taintRuleStrategy,
})
