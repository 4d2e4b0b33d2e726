/**
 * Nothing is created in a namespace that does not exist or is being deleted, and the namespaces that a cluster can't be without are not deleted
 * (plugin/namespace/lifecycle).
 */
import type { Platform } from '../../platform.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { forbidden, notFound } from '../../respond/status.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'

const namespaces = { group: '', resource: 'namespaces' }
/** Reviews of access are answered for namespaces that don't exist, too. */
const accessReviews = 'localsubjectaccessreviews'

export function namespaceLifecycle(platform: Platform, namespace: (name: string) => Promise<ApiObject | undefined>): AdmissionPlugin {
  const immortal = new Set(['default', platform.namespaces.system, platform.namespaces.public])

  async function checkNamespace({ on, namespace: name, name: object }: AdmissionAttributes): Promise<void> {
    const found = await namespace(name)
    if (found === undefined) throw notFound(namespaces, name)
    if (found.metadata.deletionTimestamp === undefined) return
    const error = forbidden(on, object, `unable to create new content in namespace ${name} because it is being terminated`)
    error.status.details = {
      ...error.status.details,
      causes: [{ reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' }],
    }
    throw error
  }

  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async mutate(attributes) {
      const { operation, on, name } = attributes
      if (on.group === '' && on.resource === 'namespaces') {
        if (operation === 'DELETE' && immortal.has(name)) throw forbidden(on, name, 'this namespace may not be deleted')
        return
      }
      if (operation !== 'CREATE' || !attributes.namespaced || on.resource === accessReviews) return
      await checkNamespace(attributes)
    },
  }
}
