import { field, list, message, pointer, required, string } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { Condition } from '../../meta/condition.ts'
import { ObjectMeta } from '../../meta/objectmeta.ts'
import { deviceTaintRuleColumns } from '../columns.ts'
import { DeviceTaint } from '../device.ts'

export const DeviceTaintSelector = message('DeviceTaintSelector', 'The devices that get a taint; all given parts must match.', {
  driver: pointer(2, string, 'Driver of the devices.'),
  pool: pointer(3, string, 'Pool of the devices.'),
  device: pointer(4, string, 'Name of the device.'),
})

export const DeviceTaintRuleSpec = message('DeviceTaintRuleSpec', 'A taint for devices.', {
  deviceSelector: pointer(1, DeviceTaintSelector, 'The devices; none when absent.'),
  taint: required(2, DeviceTaint, 'The taint.', { omitEmpty: true }),
})

export const DeviceTaintRuleStatus = message('DeviceTaintRuleStatus', 'Effect of a taint.', {
  conditions: field(1, list(Condition, { listType: 'map', keys: ['type'] }), 'Latest observations, one per condition type.', {
    patchStrategy: 'merge',
    patchMergeKey: 'type',
  }),
})

export const DeviceTaintRule = message(
  'DeviceTaintRule',
  'Adds a taint to devices.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    spec: required(2, DeviceTaintRuleSpec, 'What is wanted.'),
    status: field(3, DeviceTaintRuleStatus, 'What was observed last; written by controllers through the status subresource.'),
  },
  { typeMeta: true },
)

export const deviceTaintRules = resource({
  group: 'resource.<domain>',
  version: 'v1beta2',
  kind: 'DeviceTaintRule',
  names: ['devicetaintrules', 'devicetaintrule'],
  namespaced: false,
  schema: DeviceTaintRule,
  columns: deviceTaintRuleColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1alpha3',
  stability: 'beta',
  servedByDefault: false,
  lifecycle: { introduced: '1.36', deprecated: '1.39', removed: '1.42' },
  status: true,
  generation: 'spec',
})
