/**
 * Denies creation in namespaces that don't exist or are under deletion, and deletion of the system's namespaces
 * (plugin/namespace/lifecycle).
 */

import { forbidden, notFound } from '../../answers/status.ts'
import { type MaybePromise, then } from '../../common/maybe-promise.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { refusal } from './about.ts'

const namespaces = { group: '', resource: 'namespaces' }
/** Access reviews are allowed for missing namespaces. */
const accessReviews = 'localsubjectaccessreviews'

/** Milliseconds after a namespace's deletion during which it is read from the store, because caches may be outdated. */
const doubt = 30_000
const maxDoubted = 1_000

export function namespaceLifecycle({ platform, find, findLive, clock }: PluginContext): AdmissionPlugin {
  const immortal = new Set(['default', platform.namespaces.system, platform.namespaces.public])
  /** Recently deleted namespaces, oldest first, with the end of that time. */
  const deleted = new Map<string, number>()

  function noteDeletion(name: string): void {
    const now = clock.monotonic()
    deleted.delete(name)
    for (const [each, until] of deleted) {
      if (until > now && deleted.size < maxDoubted) break
      deleted.delete(each)
    }
    deleted.set(name, now + doubt)
  }

  const isDoubted = (name: string) => deleted.size > 0 && (deleted.get(name) ?? 0) > clock.monotonic()

  const checkNamespace = (attributes: AdmissionAttributes): MaybePromise<void> =>
    then((isDoubted(attributes.namespace) ? findLive : find)('', 'namespaces', '', attributes.namespace, attributes), (found) => {
      checkOpen(attributes, found)
      if (found) attributes.requireUnchanged?.(namespaces, found, (now) => checkOpen(attributes, now))
    })

  function checkOpen(attributes: AdmissionAttributes, found: ApiObject | undefined): void {
    const { namespace: name } = attributes
    if (found === undefined) throw notFound(namespaces, name)
    if (found.metadata.deletionTimestamp === undefined) return
    const error = refusal(attributes, `unable to create new content in namespace ${name} because it is being terminated`)
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
      if (operation !== 'CREATE' || !attributes.namespaced || attributes.namespace === '' || groupResource.resource === accessReviews)
        return
      return checkNamespace(attributes)
    },
  }
}
