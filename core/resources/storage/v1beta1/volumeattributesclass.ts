import { otherVersion } from '../../definition.ts'
import { volumeAttributesClasses as stable } from '../volumeattributesclass.ts'

export const volumeAttributesClasses = otherVersion(stable, {
  version: 'v1beta1',
  servedByDefault: false,
  metadataOnUpdate: ['update'],
  storageVersion: 'storage.<domain>/v1',
  lifecycle: {
    introduced: '1.31',
    deprecated: '1.34',
    removed: '1.37',
    replacement: { group: 'storage.<domain>', version: 'v1', kind: 'VolumeAttributesClass' },
  },
  strategy: {},
})
