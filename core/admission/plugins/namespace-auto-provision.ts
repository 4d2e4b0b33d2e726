/** Creates the namespace of a new object if it is missing (plugin/pkg/admission/namespace/autoprovision). */
import { ApiError } from '../../answers/status.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { refusal } from './about.ts'

export function namespaceAutoProvision({ find, write }: PluginContext): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    operations: ['CREATE'],
    async mutate(attributes) {
      const { groupResource, namespace, dryRun } = attributes
      // A dry run must not create the namespace.
      if (dryRun || namespace === '' || (groupResource.group === '' && groupResource.resource === 'namespaces')) return
      if ((await find('', 'namespaces', '', namespace, attributes)) !== undefined) return
      try {
        await write.create('namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (error.status.reason !== 'AlreadyExists') throw refusal(attributes, error.message)
      }
    },
  }
}
