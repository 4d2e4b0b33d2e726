import { atomicList, field, message, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { defaultLimits, validateLimitRange } from './limitrange-validation.ts'
import { objectValidation } from './object-validation.ts'
import { resourceList } from './resource-list.ts'

export const LimitRangeItem = message('LimitRangeItem', 'Bounds and defaults of resources for one type of object.', () => ({
  type: required(1, string, 'What is limited: Container, Pod or PersistentVolumeClaim.', {
    goType: 'v1.LimitType',
    openEnum: ['Pod', 'Container', 'PersistentVolumeClaim'],
  }),
  max: field(2, resourceList, 'Greatest amount of each resource.', { goType: 'v1.ResourceList' }),
  min: field(3, resourceList, 'Least amount of each resource.', { goType: 'v1.ResourceList' }),
  default: field(4, resourceList, 'Limits for those that name none.', { goType: 'v1.ResourceList' }),
  defaultRequest: field(5, resourceList, 'Requests for those that name none.', { goType: 'v1.ResourceList' }),
  maxLimitRequestRatio: field(6, resourceList, 'Greatest quotient of limit and request.', { goType: 'v1.ResourceList' }),
})).with({
  defaults(item) {
    defaultLimits(item)
  },
})

export const LimitRangeSpec = message('LimitRangeSpec', 'What a limit range enforces.', () => ({
  limits: required(1, atomicList(LimitRangeItem), 'Rules by type of object.'),
}))

export const LimitRange = object('LimitRange', 'Bounds of resource use for the objects of a namespace.', () => ({
  spec: field(2, LimitRangeSpec, 'Desired state.'),
}))

export const limitRanges = resource({
  group: '',
  version: 'v1',
  names: ['limitranges', 'limitrange', 'limits'],
  metadataOnUpdate: ['object'],
  schema: LimitRange,
  strategy: {
    prepareCreate({ metadata }) {
      if (metadata && !metadata.generateName) metadata.name ||= crypto.randomUUID()
    },
    validate: objectValidation(validateLimitRange),
  },
  lifecycle: { introduced: '1.0' },
  createOnUpdate: true,
})
