import { notFound } from '../respond/status.ts'
import { respondEntry } from './respond.ts'
import type { Verb } from './services.ts'

/** GET of one object: the live one, whatever `resourceVersion` asks for at least. */
export const get: Verb = (target) => {
  const { resource, namespace, name } = target
  const { store, on } = resource
  return store.get(store.keys.of(namespace, name)).then((entry) => {
    if (entry === undefined) throw notFound(on, name)
    return respondEntry(target, entry)
  })
}
