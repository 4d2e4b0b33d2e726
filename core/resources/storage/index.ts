import type { ResourceDefinition } from '../definition.ts'
import { csiDrivers } from './csidriver.ts'
import { csiNodes } from './csinode.ts'
import { csiStorageCapacities } from './csistoragecapacity.ts'
import { storageClasses } from './storageclass.ts'
import { volumeAttachments } from './volumeattachment.ts'
import { volumeAttributesClasses } from './volumeattributesclass.ts'

export * from './csidriver.ts'
export * from './csinode.ts'
export * from './csistoragecapacity.ts'
export * from './storageclass.ts'
export * from './volumeattachment.ts'
export * from './volumeattributesclass.ts'

export const definitions: readonly ResourceDefinition[] = [
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
]
