// Shared by both versions.
export { VolumeAttributesClass } from '../volumeattributesclass.ts'
export * from './volumeattributesclass.ts'
