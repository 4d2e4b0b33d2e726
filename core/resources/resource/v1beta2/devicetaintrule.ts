import { FieldPath } from '../../../schema/field-path.ts'
import { timestamp } from '../../../schema/formats/time.ts'
import { field, type Infer, keyedList, message, pointer, required, string } from '../../../schema/model.ts'
import { resource, type Strategy } from '../../definition.ts'
import { Condition } from '../../meta/condition.ts'
import { validateConditions } from '../../meta/condition-validation.ts'
import { object } from '../../meta/object.ts'
import { deviceTaintRuleColumns } from '../columns.ts'
import { DeviceTaint } from '../device.ts'
import { validateTaint } from '../device-validation.ts'
import { validateDriver, validateLabel, validatePoolName } from '../name-validation.ts'

export const DeviceTaintSelector = message('DeviceTaintSelector', 'The devices that get a taint; all given parts must match.', () => ({
  driver: pointer(2, string, 'Driver of the devices.'),
  pool: pointer(3, string, 'Pool of the devices.'),
  device: pointer(4, string, 'Name of the device.'),
})).with({
  validate({ driver, pool, device }, path, errors) {
    if (driver !== undefined) validateDriver(driver, path.child('driver'), errors)
    if (pool !== undefined) validatePoolName(pool, path.child('pool'), errors)
    if (device !== undefined) validateLabel(device, path.child('device'), errors)
  },
})

export const DeviceTaintRuleSpec = message('DeviceTaintRuleSpec', 'A taint for devices.', () => ({
  deviceSelector: pointer(1, DeviceTaintSelector, 'The devices; none when absent.'),
  taint: required(2, DeviceTaint, 'The taint.', { omitEmpty: true }),
})).with({ validate: ({ taint }, path, errors) => validateTaint(taint, path.child('taint'), errors) })

export const DeviceTaintRuleStatus = message('DeviceTaintRuleStatus', 'Effect of a taint.', () => ({
  conditions: keyedList(1, Condition, 'type', 'Latest observations, one per condition type.'),
}))

export const DeviceTaintRule = object('DeviceTaintRule', 'Adds a taint to devices.', () => ({
  spec: required(2, DeviceTaintRuleSpec, 'Desired state.'),
  status: field(3, DeviceTaintRuleStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

const maxConditions = 8

/** Hooks of taint rules; they belong to the stored version. */
export const taintRuleStrategy: Strategy<Infer<typeof DeviceTaintRule>> = {
  /** The time is that of the effect: another effect has a time of its own. */
  prepareUpdate({ spec: { taint } }, { spec: { taint: old } }, { now }) {
    if (taint.effect !== old.effect && taint.timeAdded === old.timeAdded) taint.timeAdded = timestamp(now)
  },
  validateStatus({ status: { conditions = [] } = {} }, _old, errors) {
    const path = FieldPath.of('status', 'conditions')
    validateConditions(conditions, path, errors)
    if (conditions.length > maxConditions) errors.tooMany(path, conditions.length, maxConditions)
  },
}

export const deviceTaintRules = resource({
  group: 'resource.<domain>',
  version: 'v1beta2',
  names: ['devicetaintrules', 'devicetaintrule'],
  namespaced: false,
  schema: DeviceTaintRule,
  columns: deviceTaintRuleColumns,
  returnsDeleted: true,
  storageVersion: 'resource.<domain>/v1alpha3',
  lifecycle: { introduced: '1.36', deprecated: '1.39', removed: '1.42' },
  status: true,
  statusKeeps: 'metadata',
  generation: 'spec',
})
