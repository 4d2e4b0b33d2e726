/** Objects reduced to their metadata: `PartialObjectMetadata` of `meta.<domain>/v1` or v1beta1. */

import type { ResourceDefinition } from '../resources/definition.ts'
import { htmlSafe } from '../schema/json/html-safe.ts'
import { Name, Values } from '../schema/json/scan.ts'
import { parseJsonText, printJson } from '../schema/json/text.ts'
import type { Json, JsonObject } from '../schema/model.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const annotationsName = new Name('annotations')

type WithFields = Pick<ResourceDefinition, 'fieldAnnotations'>

export const partialObject = (apiVersion: string, metadata: Json): JsonObject => ({ kind: 'PartialObjectMetadata', apiVersion, metadata })

/** Text of the JSON form up to its metadata; `}` follows them. */
export const partialStart = (apiVersion: string): string => JSON.stringify(partialObject(apiVersion, 0)).slice(0, -'0}'.length)

/** Metadata as shown without the rest of an object: the annotations that are fields in the server's own version are not in it. */
export function ownMetadata(metadata: Json, { fieldAnnotations = [] }: WithFields): Json {
  const { annotations, ...others } = metadata as { annotations?: JsonObject }
  if (annotations === undefined || !fieldAnnotations.some((name) => Object.hasOwn(annotations, name))) return metadata
  const kept = Object.entries(annotations).filter(([name]) => !fieldAnnotations.includes(name))
  if (kept.length === 0) return others
  return Object.fromEntries(
    Object.entries(metadata as JsonObject).map(([name, value]) => [name, name === 'annotations' ? Object.fromEntries(kept) : value]),
  )
}

/** As `ownMetadata`, for its JSON. */
export function ownMetadataBytes(json: Uint8Array, definition: WithFields): Uint8Array {
  const { fieldAnnotations } = definition
  if (fieldAnnotations === undefined || !hasAnnotation(json, fieldAnnotations)) return json
  return encoder.encode(htmlSafe(printJson(ownMetadata(parseJsonText(decoder.decode(json)), definition))))
}

/** Whether metadata have an annotation with one of these names. */
function hasAnnotation(json: Uint8Array, texts: readonly string[]): boolean {
  const names = texts.map((text) => new Name(text))
  const members = new Values(json, 0)
  while (members.next()) {
    if (!members.is(annotationsName) || !members.isObject) continue
    const annotations = new Values(json, members.start)
    while (annotations.next()) if (names.some((name) => annotations.is(name))) return true
  }
  return false
}
