/**
 * Number of template changes of a daemon set. A former spec field; in `apps/v1` an annotation that only the server writes
 * after creation. Clients up to 1.8 and `kubectl rollout history` read it.
 */
import { getPath } from '../../schema/accessors.ts'
import { parsedInt64 } from '../../schema/go/parse-int.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import type { ApiObject } from '../definition.ts'
import { annotationOf, readInteger, setAnnotation } from './integer-annotation.ts'

/** Name of the annotation. */
export const templateGeneration = 'deprecated.daemonset.template.generation'

const generationOf = (object: ApiObject): bigint => parsedInt64(annotationOf(object, templateGeneration) ?? '') ?? 0n

const set = (object: ApiObject, generation: bigint) => setAnnotation(object, templateGeneration, String(generation))

/** An object from a client. Throws ConversionError for other texts than integers. */
export function readTemplateGeneration(object: ApiObject): void {
  const text = annotationOf(object, templateGeneration)
  if (text !== undefined) readInteger(object, templateGeneration, text)
}

/** Keeps the annotation on every daemon set. */
export const keepTemplateGeneration = (object: ApiObject) => set(object, generationOf(object))

/** A create may set an initial value. */
export const startTemplateGeneration = (object: ApiObject) => {
  const given = generationOf(object)
  set(object, given < 1n ? 1n : given)
}

/** An update of the status doesn't change it. */
export const copyTemplateGeneration = (object: ApiObject, old: ApiObject) => set(object, generationOf(old))

export function countTemplateGeneration(object: ApiObject, old: ApiObject): void {
  const same = equal((getPath(object, '.spec.template') ?? {}) as Json, (getPath(old, '.spec.template') ?? {}) as Json)
  set(object, same ? generationOf(old) : BigInt.asIntN(64, generationOf(old) + 1n))
}
