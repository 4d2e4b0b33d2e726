import { atomicList, field, inline, message, pointer, required, string } from '../../schema/model.ts'
import { isExtended } from '../core/resource-validation.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { DeviceConfiguration } from './claim.ts'
import { plainColumns } from './columns.ts'
import { validateList } from './name-validation.ts'
import { DeviceSelector } from './request.ts'
import { validateConfiguration } from './request-validation.ts'

export const DeviceClassConfiguration = message('DeviceClassConfiguration', 'Configuration in a class.', () => ({
  deviceConfiguration: inline(1, DeviceConfiguration),
}))

const maxConfig = 32

export const DeviceClassSpec = message('DeviceClassSpec', 'What devices of a class have in common.', () => ({
  selectors: field(1, atomicList(DeviceSelector), 'Selectors that devices must all match.', { maxItems: 32 }),
  config: field(2, atomicList(DeviceClassConfiguration), 'Configurations for claims of the class.'),
  extendedResourceName: pointer(4, string, 'Extended resource that requests a device of the class.', { gate: 'DRAExtendedResource' }),
})).with({
  validate({ config = [], extendedResourceName: name }, path, errors, context) {
    validateList(config, maxConfig, path.child('config'), errors, validateConfiguration)
    if (name === undefined || isExtended(name, context)) return
    errors.invalid(path.child('extendedResourceName'), name, 'must be a valid extended resource name')
  },
})

export const DeviceClass = object('DeviceClass', 'A named choice of devices.', () => ({
  spec: required(2, DeviceClassSpec, 'Desired state.'),
}))

export const deviceClasses = resource({
  group: 'resource.<domain>',
  version: 'v1',
  names: ['deviceclasses', 'deviceclass'],
  metadataOnUpdate: ['object', 'update'],
  nameFormat: 'longName',
  namespaced: false,
  schema: DeviceClass,
  columns: plainColumns,
  returnsDeleted: true,
  lifecycle: { introduced: '1.34' },
  generation: 'spec',
})
