import type { ResourceDefinition } from '../../definition.ts'
import { volumeAttributesClasses } from './volumeattributesclass.ts'

// Shared by both versions.
export { VolumeAttributesClass } from '../volumeattributesclass.ts'
export * from './volumeattributesclass.ts'

export const definitions: readonly ResourceDefinition[] = [volumeAttributesClasses]
