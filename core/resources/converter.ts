/**
 * Conversion of objects between the versions of a resource. Whatever needs an object in another version asks the resource's converter:
 * that of a built-in resource is synchronous and goes through the storage version, that of a custom resource may ask a webhook.
 */
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import type { Platform } from '../platform.ts'
import type { Context } from '../ports.ts'
import { canonicalise } from '../schema/decode.ts'
import type { Json } from '../schema/model.ts'
import { type ApiObject, apiVersionOf, type Hub, type ResourceDefinition, type SyncConverter } from './definition.ts'

function syncConverter(now: SyncConverter['now']): SyncConverter {
  return { now, convert: (objects, apiVersion) => objects.map((object) => now(object, apiVersion)) }
}

/** For versions with the same fields, or whose schemas drop what they don't have: changes only `apiVersion`. */
export const relabelling = syncConverter((object, apiVersion) => (object.apiVersion === apiVersion ? object : { ...object, apiVersion }))

/** Converts through the storage version: `hub` is its row, `others` are the rows of the other versions. All are bound to the platform. */
export function hubConverter(hub: ResourceDefinition, others: readonly ResourceDefinition[], platform: Platform): SyncConverter {
  const hubVersion = apiVersionOf(hub)
  const conversions = new Map(others.map((row) => [apiVersionOf(row), row.conversion]))

  function toHub(object: ApiObject): ApiObject {
    const { kind, apiVersion } = object
    if (apiVersion === hubVersion) return object
    const former = hub.formerVersions?.[apiVersion]
    if (former) return former(object, hubVersion)
    if (!conversions.has(apiVersion)) throw new Error(`no conversion of ${kind} from ${apiVersion} to ${hubVersion}`)
    return conversions.get(apiVersion)?.toStored(object, platform) ?? relabelling.now(object, hubVersion)
  }

  return syncConverter((object, apiVersion) => {
    if (object.apiVersion === apiVersion) return object
    const stored = toHub(object)
    if (apiVersion === hubVersion) return stored
    return conversions.get(apiVersion)?.fromStored(stored, platform) ?? relabelling.now(stored, apiVersion)
  })
}

/** Set if the server holds the objects of this row in another version than the row's. */
export function hubOf(row: Pick<ResourceDefinition, 'group' | 'version' | 'versioning'>): Hub | undefined {
  const { versioning } = row
  return versioning?.heldIn === 'storage' && versioning.version !== apiVersionOf(row) ? versioning : undefined
}

/** A held object in the row's version. */
export function fromStorageVersion(row: ResourceDefinition, held: ApiObject): ApiObject {
  const hub = hubOf(row)
  return hub ? canonical(row, hub.converter.now(held, apiVersionOf(row))) : held
}

/** An object of the row's version as the server holds it; not canonical. */
export function toStorageVersion(row: ResourceDefinition, object: ApiObject): ApiObject {
  const hub = hubOf(row)
  return hub ? hub.converter.now(object, hub.version) : object
}

/** An object of the row's version as it is served after it was held: some conversions keep fields in annotations. */
export const throughStorageVersion = (row: ResourceDefinition, object: ApiObject): ApiObject =>
  hubOf(row) ? fromStorageVersion(row, toStorageVersion(row, object)) : object

/** An object of any version of the resource in the row's version. */
export function inVersion(row: ResourceDefinition, object: ApiObject, context: Context | undefined): MaybePromise<ApiObject> {
  const { versioning } = row
  if (object.apiVersion === apiVersionOf(row) || versioning === undefined) return object
  return then(versioning.converter.convert([object], apiVersionOf(row), context), ([converted]) => canonical(row, converted as ApiObject))
}

const canonical = ({ schema }: ResourceDefinition, object: ApiObject) => canonicalise(schema, object as Json, { root: true }) as ApiObject
