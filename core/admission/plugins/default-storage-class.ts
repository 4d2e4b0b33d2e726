/** Sets the default storage class on new claims without a class (plugin/pkg/admission/storage/storageclass/setdefault). */
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'
import { defaultClassOf } from './default-class.ts'

export function defaultStorageClass(context: PluginContext): AdmissionPlugin {
  const { platform } = context
  const older = platform.name('volume.beta.<labels>/storage-class')
  const marks = ['storageclass.<labels>/is-default-class', 'storageclass.beta.<labels>/is-default-class'].map(platform.name)
  return {
    name: 'DefaultStorageClass',
    operations: ['CREATE'],
    resources: [{ group: '', resource: 'persistentvolumeclaims' }],
    async mutate(attributes) {
      const { object } = attributes
      if (!isAbout(attributes, 'persistentvolumeclaims') || object === undefined) return
      const spec = specOf<{ storageClassName?: string | null }>(object)
      // An empty name explicitly selects no class.
      if (typeof spec.storageClassName === 'string' || Object.hasOwn(object.metadata.annotations ?? {}, older)) return
      const found = await defaultClassOf(context, 'storage.<domain>', 'storageclasses', marks, attributes)
      if (found?.metadata.name) spec.storageClassName = found.metadata.name
    },
  }
}
