/**
 * Number of template changes of a daemon set. A former spec field; in `apps/v1` an annotation that only the server writes
 * after creation. Clients up to 1.8 and `kubectl rollout history` read it.
 */
import { getPath } from '../../schema/accessors.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import type { ApiObject } from '../definition.ts'

/** Name of the annotation. */
export const templateGeneration = 'deprecated.daemonset.template.generation'

const generationOf = ({ metadata }: ApiObject): number => {
  const value = Number(metadata.annotations?.[templateGeneration])
  return Number.isSafeInteger(value) ? value : 0
}

function set(object: ApiObject, generation: number): void {
  object.metadata ??= {}
  object.metadata.annotations = { ...object.metadata.annotations, [templateGeneration]: String(generation) }
}

/** Keeps the annotation on every daemon set. */
export const keepTemplateGeneration = (object: ApiObject) => set(object, generationOf(object))

/** A create may set an initial value. */
export const startTemplateGeneration = (object: ApiObject) => set(object, Math.max(1, generationOf(object)))

/** An update of the status doesn't change it. */
export const copyTemplateGeneration = (object: ApiObject, old: ApiObject) => set(object, generationOf(old))

export function countTemplateGeneration(object: ApiObject, old: ApiObject): void {
  const same = equal((getPath(object, '.spec.template') ?? {}) as Json, (getPath(old, '.spec.template') ?? {}) as Json)
  set(object, generationOf(old) + (same ? 0 : 1))
}
