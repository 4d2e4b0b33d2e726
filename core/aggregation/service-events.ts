import type { Lookup } from '../admission/lookup.ts'
import type { ObjectRef } from '../objects/storage/keys.ts'
import type { StoredObject } from '../objects/storage/stored-object.ts'
import { closing } from '../objects/watch/follow.ts'

/** Namespace and name of a service. */
export const placeOf = (namespace: string, name: string) => `${namespace}/${name}`

/** Calls `changed` with the place of each service that may have changed, or its endpoints. The returned function ends that. */
export function followServices(lookup: Pick<Lookup, 'follow'>, serviceNameLabel: string, changed: (place: string) => void): () => void {
  /** Of each slice, by key: a removed one is known by its key only. */
  const places = new Map<string, string>()
  const service = ({ namespace, name }: ObjectRef) => changed(placeOf(namespace, name))
  const services = { upsert: service, remove: service }
  const slices = {
    upsert({ key, object: { metadata } }: StoredObject) {
      const before = places.get(key)
      const place = placeOf(metadata.namespace ?? '', metadata.labels?.[serviceNameLabel] ?? '')
      places.set(key, place)
      changed(place)
      if (before !== undefined && before !== place) changed(before)
    },
    remove({ key }: ObjectRef) {
      changed(places.get(key) ?? '')
      places.delete(key)
    },
  }
  const following = [lookup.follow('', 'services', services), lookup.follow('discovery.<domain>', 'endpointslices', slices)]
  return closing(following)
}
