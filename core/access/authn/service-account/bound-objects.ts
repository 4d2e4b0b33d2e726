import type { MaybePromise } from '../../../common/maybe-promise.ts'
import { AuthenticationError } from '../authenticator.ts'
import type { AccountClaims } from './claims.ts'

/** Current state of a token's service account or bound object. */
export interface BoundObject {
  readonly uid: string
  /** RFC 3339. */
  readonly deletionTimestamp?: string
}

/** Finds an object by resource; `namespace` is empty for nodes. Returns a plain value when the object is cached. */
export type ObjectLookup = (
  resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
  namespace: string,
  name: string,
) => MaybePromise<BoundObject | undefined>

interface Check {
  readonly resource: Parameters<ObjectLookup>[0]
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly missing: string
  readonly deleted: string
  readonly replaced: (uid: string) => string
}

/** Grace period in milliseconds during which an object under deletion still counts as existing. */
const leeway = 60_000
const invalidated = 'service account token has been invalidated'

function checksOf({ namespace, serviceaccount, pod, secret, node }: AccountClaims): Check[] {
  const { name } = serviceaccount
  const bound = (resource: Check['resource'], kind: string, home: string, reference: { name: string; uid?: string }): Check => ({
    resource,
    namespace: home,
    name: reference.name,
    uid: reference.uid ?? '',
    missing: invalidated,
    deleted: invalidated,
    replaced: (uid) => `${kind} UID (${uid}) does not match service account ${kind} ref claim (${reference.uid ?? ''})`,
  })
  return [
    {
      resource: 'serviceaccounts',
      namespace,
      name,
      uid: serviceaccount.uid,
      missing: `serviceaccounts ${JSON.stringify(name)} not found`,
      deleted: `service account ${namespace}/${name} has been deleted`,
      replaced: (uid) => `service account UID (${uid}) does not match claim (${serviceaccount.uid})`,
    },
    ...(secret === undefined ? [] : [bound('secrets', 'secret', namespace, secret)]),
    ...(pod === undefined ? [] : [bound('pods', 'pod', namespace, pod)]),
    // A token bound to a pod also names the pod's node, but only for information: it is not bound to that node.
    ...(node === undefined || pod !== undefined ? [] : [bound('nodes', 'node', '', node)]),
  ]
}

/** Throws an AuthenticationError, or rejects with one, when an object that the token depends on is gone. `now` in milliseconds. */
export function checkBoundObjects(claims: AccountClaims, lookup: ObjectLookup, now: number): undefined | Promise<undefined> {
  const checks = checksOf(claims)
  const verify = (objects: readonly (BoundObject | undefined)[]): undefined => {
    for (const [index, { uid, missing, deleted, replaced }] of checks.entries()) {
      const object = objects[index]
      if (object === undefined) throw new AuthenticationError(missing)
      const { deletionTimestamp } = object
      if (deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - leeway) throw new AuthenticationError(deleted)
      if (object.uid !== uid) throw new AuthenticationError(replaced(object.uid))
    }
  }
  const found = checks.map(({ resource, namespace, name }) => lookup(resource, namespace, name))
  const ready: (BoundObject | undefined)[] = []
  for (const object of found) {
    if (object instanceof Promise) return Promise.all(found).then(verify)
    ready.push(object)
  }
  return verify(ready)
}
