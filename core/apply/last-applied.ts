/** The annotation in which the command line client stores its last client-side applied configuration. */

import type { Platform } from '../platform.ts'
import { utf8Length } from '../schema/bytes.ts'
import { isObject } from '../schema/json/is-object.ts'
import { parseJsonText } from '../schema/json/text.ts'
import type { Json, JsonObject } from '../schema/model.ts'
import { compare } from './compare.ts'
import { ApplyConflicts } from './conflict.ts'
import { jsonText } from './element.ts'
import { difference, type FieldSet } from './field-set.ts'
import { atomOf, type Scope } from './scope.ts'
import { toFieldSet } from './to-field-set.ts'
import { validateType } from './validate-type.ts'

/** Maximum bytes of all annotations of an object. */
const annotationsLimit = 256 * 1024

/** Name of the field manager with this annotation. */
export const clientName = (platform: Platform) => `${platform.component}ctl`

const annotationName = (platform: Platform) => platform.name(`${clientName(platform)}.<labels>/last-applied-configuration`)

function annotationsOf({ metadata }: JsonObject): JsonObject | undefined {
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined
  return isObject(annotations) ? annotations : undefined
}

function lastAppliedOf(object: JsonObject, platform: Platform): string | undefined {
  const text = annotationsOf(object)?.[annotationName(platform)]
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** Fields applied client-side and unchanged since; undefined when the annotation is missing or unusable. */
function appliedBefore(scope: Scope, live: JsonObject, platform: Platform): FieldSet | undefined {
  const text = lastAppliedOf(live, platform)
  if (text === undefined) return undefined
  try {
    const applied = parseJsonText(text) as JsonObject
    if (!isObject(applied) || applied['apiVersion'] !== scope.apiVersion) return undefined
    const atom = atomOf(scope, scope.apiVersion)
    validateType(atom, live, false)
    validateType(atom, applied, false)
    const { changed, removed } = compare(atom, applied, live)
    return difference(difference(toFieldSet(atom, applied), changed), removed)
  } catch {
    return undefined
  }
}

/** Conflicts that remain after the client takes over fields that it had applied client-side; undefined: none, so the apply may be forced. */
export function conflictsBeyond(scope: Scope, live: JsonObject, error: ApplyConflicts, platform: Platform): ApplyConflicts | undefined {
  const allowed = appliedBefore(scope, live, platform)
  if (allowed === undefined) return error
  const left = error.conflicts.flatMap(({ manager, fields }) => {
    const rest = difference(fields, allowed)
    return rest.length > 0 ? [{ manager, fields: rest }] : []
  })
  return left.length > 0 ? new ApplyConflicts(left) : undefined
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] as Json)]),
  )
}

/** Updates the annotation, if the object has it, to the applied configuration. */
export function withLastApplied(object: JsonObject, applied: JsonObject, platform: Platform): JsonObject {
  if (lastAppliedOf(object, platform) === undefined) return object
  const name = annotationName(platform)
  const own = annotationsOf(applied)
  const shown = own && Object.hasOwn(own, name) ? withAnnotations(applied, without(own, name)) : applied
  const annotations: JsonObject = { ...annotationsOf(object), [name]: `${jsonText(sorted(shown))}\n` }
  let size = 0
  for (const [key, value] of Object.entries(annotations)) size += utf8Length(key) + utf8Length(String(value))
  return withAnnotations(object, size > annotationsLimit ? without(annotations, name) : annotations)
}

function without(annotations: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = annotations
  return rest
}

const withAnnotations = (object: JsonObject, annotations: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as JsonObject), annotations },
})
