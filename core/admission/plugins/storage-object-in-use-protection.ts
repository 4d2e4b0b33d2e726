/**
 * Adds the protection finalizer to volumes and claims; a controller removes it when they are unused
 * (plugin/pkg/admission/storage/storageobjectinuseprotection).
 */
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout } from './about.ts'

const protectedResources: readonly (readonly [resource: string, group: string, finalizer: string])[] = [
  ['persistentvolumes', '', '<labels>/pv-protection'],
  ['persistentvolumeclaims', '', '<labels>/pvc-protection'],
  ['volumeattributesclasses', 'storage.<domain>', '<labels>/vac-protection'],
]

export function storageObjectInUseProtection({ platform }: PluginContext): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    operations: ['CREATE'],
    resources: protectedResources.map(([resource, group]) => ({ group: platform.name(group), resource })),
    mutate(attributes) {
      const row = protectedResources.find(([resource, group]) => isAbout(attributes, resource, platform.name(group)))
      const metadata = attributes.object?.metadata
      if (row === undefined || metadata === undefined) return
      const finalizer = platform.name(row[2])
      if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer]
    },
  }
}
