/**
 * Nothing is created in a namespace that does not exist or is being deleted, and the namespaces that a cluster can't be without are not deleted
 * (plugin/namespace/lifecycle).
 */
import { forbidden, notFound } from '../../respond/status.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'

const namespaces = { group: '', resource: 'namespaces' }
/** Reviews of access are answered for namespaces that don't exist, too. */
const accessReviews = 'localsubjectaccessreviews'

/** How long a deleted namespace is looked up as it is stored: what is known of it may lag behind. Milliseconds. */
const doubt = 30_000
const mostDoubted = 1_000

export function namespaceLifecycle({ platform, find, findLive, clock }: PluginContext): AdmissionPlugin {
  const immortal = new Set(['default', platform.namespaces.system, platform.namespaces.public])
  /** Names of deleted namespaces, oldest first, and until when they are in doubt. */
  const deleted = new Map<string, number>()

  function noteDeletion(name: string): void {
    const now = clock.now()
    deleted.delete(name)
    for (const [each, until] of deleted) {
      if (until > now && deleted.size < mostDoubted) break
      deleted.delete(each)
    }
    deleted.set(name, now + doubt)
  }

  const isDoubted = (name: string) => deleted.size > 0 && (deleted.get(name) ?? 0) > clock.now()

  async function checkNamespace({ groupResource, namespace: name, name: object }: AdmissionAttributes): Promise<void> {
    const found = await (isDoubted(name) ? findLive : find)('', 'namespaces', '', name)
    if (found === undefined) throw notFound(namespaces, name)
    if (found.metadata.deletionTimestamp === undefined) return
    const error = forbidden(groupResource, object, `unable to create new content in namespace ${name} because it is being terminated`)
    error.status.details = {
      ...error.status.details,
      causes: [{ reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' }],
    }
    throw error
  }

  return {
    name: 'NamespaceLifecycle',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    mutate(attributes) {
      const { operation, groupResource, name } = attributes
      if (groupResource.group === '' && groupResource.resource === 'namespaces') {
        if (operation === 'DELETE' && immortal.has(name)) throw forbidden(groupResource, name, 'this namespace may not be deleted')
        if (operation === 'DELETE') noteDeletion(name)
        return
      }
      if (operation !== 'CREATE' || !attributes.namespaced || groupResource.resource === accessReviews) return
      return checkNamespace(attributes)
    },
  }
}
