/** Denies writes in namespaces that don't exist (plugin/pkg/admission/namespace/exists). */
import { notFound } from '../../answers/status.ts'
import type { AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'

const namespaces = { group: '', resource: 'namespaces' }

export function namespaceExists({ find }: PluginContext): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async validate(attributes) {
      const { groupResource, namespace } = attributes
      if (namespace === '' || (groupResource.group === '' && groupResource.resource === 'namespaces')) return
      if ((await find('', 'namespaces', '', namespace, attributes)) === undefined) throw notFound(namespaces, namespace)
    },
  }
}
