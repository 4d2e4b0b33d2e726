/** The revision that a deployment rolls back to: a former spec field. In `apps/v1` an annotation that no controller reads any more. */
import type { ApiObject } from '../definition.ts'
import { annotationOf, readInteger, setAnnotation } from './integer-annotation.ts'

/** Name of the annotation. */
export const rollbackTo = 'deprecated.deployment.rollback.to'

/** An object from a client: an empty text is no revision. Throws ConversionError for other texts than integers. */
export function readRollback(object: ApiObject): void {
  const text = annotationOf(object, rollbackTo)
  if (text === '') setAnnotation(object, rollbackTo, undefined)
  else if (text !== undefined)
    readInteger(object, rollbackTo, text, (fault) => `failed to parse annotation[${rollbackTo}]=${text} as int64: ${fault}`)
}

/** An update of the status doesn't change it, as it was part of the spec. */
export const keepRollback = (object: ApiObject, old: ApiObject) => setAnnotation(object, rollbackTo, annotationOf(old, rollbackTo))
