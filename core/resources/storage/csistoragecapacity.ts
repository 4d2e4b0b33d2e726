import { FieldPath } from '../../schema/field-path.ts'
import { parseQuantity, quantitySign } from '../../schema/formats/quantity.ts'
import { pointer, quantity, required, string } from '../../schema/model.ts'
import { labelSelectorWarnings } from '../core/node-label-warnings.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { LabelSelector } from '../meta/selector.ts'
import { boundedWarnings } from '../warnings.ts'

export const CSIStorageCapacity = object('CSIStorageCapacity', 'Free storage of a class in a part of the topology.', () => ({
  nodeTopology: pointer(2, LabelSelector, 'Nodes that can reach the storage; none when absent.', { immutable: true }),
  storageClassName: required(3, string, 'Storage class; cannot be changed.', { immutable: true, format: 'dns1123Subdomain' }),
  capacity: pointer(4, quantity, 'Free bytes.'),
  maximumVolumeSize: pointer(5, quantity, 'Greatest size of one volume.'),
}))

export const csiStorageCapacities = resource({
  group: 'storage.<domain>',
  version: 'v1',
  names: ['csistoragecapacities', 'csistoragecapacity'],
  metadataOnUpdate: ['object', 'lateUpdate'],
  schema: CSIStorageCapacity,
  lifecycle: { introduced: '1.24' },
  updateNeedsVersion: true,
  strategy: {
    warnings: ({ nodeTopology }, _old, { platform }) =>
      boundedWarnings(labelSelectorWarnings(nodeTopology, FieldPath.of('nodeTopology'), platform)),
    validate({ capacity }, errors) {
      if (capacity === undefined || quantitySign(parseQuantity(capacity)) >= 0) return
      errors.invalid(FieldPath.of('capacity'), capacity, 'must be greater than or equal to 0')
    },
  },
})
