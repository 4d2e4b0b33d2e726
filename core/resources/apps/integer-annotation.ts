/** Annotations of `apps/v1` that hold integers, which were fields of former versions (the reference, pkg/apis/apps/v1/conversion.go). */
import { ConversionError } from '../../schema/decode-error.ts'
import { int64Fault, parsedInt64 } from '../../schema/go/parse-int.ts'
import type { ApiObject } from '../definition.ts'

/** The text of the annotation, if there is one. */
export const annotationOf = ({ metadata }: ApiObject, name: string): string | undefined => metadata?.annotations?.[name]

/** Sets the annotation, or removes it. Changes no map that the object shares with others. */
export function setAnnotation(object: ApiObject, name: string, text: string | undefined): void {
  object.metadata ??= {}
  const { metadata } = object
  if (text !== undefined) {
    metadata.annotations = { ...metadata.annotations, [name]: text }
    return
  }
  const { [name]: _, ...others } = metadata.annotations ?? {}
  if (Object.keys(others).length > 0) metadata.annotations = others
  else delete metadata.annotations
}

/** Writes the integer of the annotation as Go prints it. Throws ConversionError; `refusal` words it. */
export function readInteger(object: ApiObject, name: string, text: string, refusal = (fault: string) => fault): void {
  const value = parsedInt64(text)
  if (value === undefined) throw new ConversionError(refusal(int64Fault(text)))
  if (String(value) !== text) setAnnotation(object, name, String(value))
}
