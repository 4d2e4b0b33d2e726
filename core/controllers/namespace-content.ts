/** Deletes the content of a namespace: of this server's resources by their stores, of other servers' by discovery. */
import { mergeGroups } from '../meta/group-source.ts'
import type { ServedResource } from '../objects/registry/served.ts'
import type { ObjectMeta } from '../resources/definition.ts'
import { messageOf } from '../schema/message-of.ts'
import { type ClientResource, RequestFailed } from './client.ts'
import type { ControllerContext } from './controller.ts'
import type { Remaining } from './namespace-conditions.ts'
import type { Left } from './namespace-waits.ts'

/** What is left, and what to wait for. */
interface Content extends Remaining {
  readonly left: readonly Left[]
}

/** All namespaced resources, each stored one once. */
function contents({ table }: ControllerContext): ServedResource[] {
  const byKey = new Map<string, ServedResource>()
  for (const each of table.all()) {
    const { namespaced, verbs, storageKey } = each.definition
    if (namespaced && verbs.includes('deletecollection') && !byKey.has(storageKey)) byKey.set(storageKey, each)
  }
  return [...byKey.values()]
}

interface RemoteResource extends ClientResource {
  readonly verbs: readonly string[]
}

/** A name that is one segment of a path, whatever another server says. */
const pathSegment = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

/** Namespaced resources of other servers that can be deleted, in the preferred version that has them, and group versions that are not known. */
function remoteContents({ remote }: ControllerContext): { found: RemoteResource[]; undiscovered: string[] } {
  const found = new Map<string, RemoteResource>()
  const undiscovered: string[] = []
  for (const { group, version, groupVersion, freshness, resources } of mergeGroups(remote ? [remote] : []).flatMap(
    (each) => each.versions,
  )) {
    if (freshness === 'Stale') undiscovered.push(groupVersion)
    else
      for (const { rows, namespaced } of resources()) {
        const [{ name: plural, verbs }] = rows
        const key = `${plural}.${group}`
        if (!namespaced || !verbs.includes('delete') || !pathSegment.test(plural) || found.has(key)) continue
        found.set(key, { group, version, namespaced, names: { plural }, verbs })
      }
  }
  return { found: [...found.values()], undiscovered }
}

const isUnsupported = (error: unknown) => error instanceof RequestFailed && [404, 405].includes(error.status.code ?? 0)

/** Metadata of what is left of a resource; undefined: it can't be listed. Rejects with the error of a request. */
async function deleteRemote(resource: RemoteResource, context: ControllerContext, namespace: string) {
  const client = context.client(resource)
  const unlessUnsupported = (error: unknown) => {
    if (!isUnsupported(error)) throw error
    return undefined
  }
  const list = () => client.list(namespace).catch(unlessUnsupported)
  const deleted = resource.verbs.includes('deletecollection')
    ? await client.deleteCollection(namespace).then(() => true, unlessUnsupported)
    : undefined
  if (deleted === undefined) {
    for (const { name = '' } of (await list()) ?? [])
      await client.delete(namespace, name, { propagationPolicy: 'Background' }).catch(unlessUnsupported)
  }
  return list()
}

/** Deletes pods, then, when they have ended, all else that can be deleted, and counts the rest. Never rejects because of a failed deletion. */
export async function deleteContent(context: ControllerContext, namespace: string): Promise<Content> {
  const resources = new Map<string, number>()
  const finalizers = new Map<string, number>()
  const failures: string[] = []
  const left: Left[] = []
  const count = (plural: string, group: string, objects: readonly ObjectMeta[]) => {
    if (objects.length > 0) resources.set(`${plural}.${group}`, objects.length)
    for (const each of objects.flatMap((object) => object.finalizers ?? [])) finalizers.set(each, (finalizers.get(each) ?? 0) + 1)
  }
  const attempt = (work: () => Promise<void>, about = '') =>
    work().then(
      () => true,
      (error: unknown) => {
        failures.push(`${about}${messageOf(error)}`)
        return false
      },
    )

  async function deleteOwn({ definition, store }: ServedResource, about = ''): Promise<boolean> {
    if ((await store.list({ namespace, limit: 1 })).entries.length === 0) return true
    const isDeleted = await attempt(() => context.client(definition).deleteCollection(namespace), about)
    const { entries, revision } = await store.list({ namespace })
    if (entries.length > 0) left.push({ store, revision, keys: new Set(entries.map(({ key }) => key)) })
    const metadata = entries.map((entry) => entry.copy().metadata)
    count(definition.names.plural, definition.group, metadata)
    return isDeleted
  }

  const own = contents(context)
  const { found, undiscovered } = remoteContents(context)
  const pods = own.find(({ definition }) => definition.group === '' && definition.names.plural === 'pods')
  if (pods) {
    const isDeleted = await deleteOwn(pods, `failed to delete pods for namespace: ${namespace}, err: `)
    // What protects pods, such as a network policy, stays until they have ended (KEP-5080). The conditions don't count them, as in the reference.
    if (isDeleted && left.length > 0) return { resources: new Map(), finalizers: new Map(), failures, undiscovered, left }
  }
  for (const each of own) if (each !== pods) await deleteOwn(each)
  for (const each of found)
    await attempt(async () => count(each.names.plural, each.group, (await deleteRemote(each, context, namespace)) ?? []))
  return { resources, finalizers, failures, undiscovered, left }
}
