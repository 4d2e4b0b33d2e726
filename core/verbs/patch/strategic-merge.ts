/** Strategic merge patch (API conventions, 'Patch operations'): merges lists as the schema says. */

import { badRequest, unreasoned } from '../../answers/status.ts'
import { jsonTypeName } from '../../apply/json-values.ts'
import { copyOf } from '../../schema/json/given-empty.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { clone, get, set } from '../../schema/json/members.ts'
import type { Json, JsonObject, Message, Schema } from '../../schema/model.ts'
import {
  badPatchType,
  deletePrefix,
  discardNulls,
  fieldOf,
  orderPrefix,
  patchDirective,
  plainValue,
  receivedType,
  retainKeys,
} from './directives.ts'
import { holdsObjects, inOrder, mergeLists, validateOrder } from './merge-list.ts'

/**
 * Applies a patch to a copy of a document of that schema and returns it; parts that the patch does not reach are shared with the document.
 * Throws BadRequest for a patch or directive of a wrong type, Invalid for lists of lists, and an error without reason (500, as the reference) for what
 * does not fit the schema.
 */
export function applyStrategicMerge(schema: Message, document: JsonObject, patch: Json): JsonObject {
  if (patch === null) return copyOf(document)
  if (!isObject(patch)) throw badRequest(`json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`)
  return mergeMaps(document, clone(patch), schema)
}

interface Merging {
  readonly schema: Schema
  /**
   * `merge`: lists are merged by key or as sets, objects by member; `replace`: the patch's value replaces the field. Lists without a strategy
   * are replaced.
   */
  readonly strategy: string
  readonly mergeKey: string | undefined
}

/** Merge strategy of a field. */
function mergingOf(schema: Schema, key: string): Merging {
  if (schema.type !== 'message')
    throw unreasoned(`merging an object in json but data type is not struct, instead is: ${schema.type === 'list' ? 'slice' : schema.type}`)
  const field = schema.json.get(key)
  if (field === undefined) throw unreasoned(`unable to find api field in struct ${schema.name} for the json field ${JSON.stringify(key)}`)
  const strategy = field.patchStrategy?.split(',').find((each) => each !== 'retainKeys') ?? ''
  return { schema: field.schema, strategy, mergeKey: field.patchMergeKey }
}

/** Merges into a copy and returns it, unless a directive replaces it. Consumes the patch. */
function mergeMaps(given: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  const directive = get(patch, patchDirective)
  if (directive === 'delete') return {}
  if (directive === 'replace') {
    delete patch[patchDirective]
    return patch
  }
  if (directive !== undefined) throw badPatchType(directive, patch)
  const original = copyOf(given)
  retainKeys(original, patch)
  applyOrders(original, patch, schema)
  for (const key of Object.keys(patch)) {
    const deleting = key.startsWith(deletePrefix)
    mergeField(original, deleting ? fieldOf(key, deletePrefix) : key, patch[key] as Json, schema, deleting)
  }
  return original
}

function mergeField(original: JsonObject, key: string, value: Json, schema: Schema, deleting: boolean): void {
  const current = get(original, key)
  if (value === null) delete original[key]
  else if (isObject(current) && isObject(value)) {
    const { schema: own, strategy } = mergingOf(schema, key)
    set(original, key, strategy === 'replace' ? value : mergeMaps(current, value, own))
  } else if (Array.isArray(current) && Array.isArray(value))
    set(original, key, mergeListField([...current], value, mergingOf(schema, key), deleting))
  else if (!deleting) setPlain(original, key, value)
}

/** Sets the patch's value. */
function setPlain(original: JsonObject, key: string, value: Json): void {
  discardNulls(value)
  const plain = plainValue(value)
  if (plain === undefined) delete original[key]
  else set(original, key, plain)
}

function mergeListField(original: Json[], patch: Json[], { schema, strategy, mergeKey }: Merging, deleting: boolean): Json[] {
  if (strategy !== 'merge' && !deleting) return patch
  const items = schema.type === 'list' ? schema.items : schema
  return mergeLists(original, patch, mergeKey, (current, change) => mergeMaps(current, change, items), deleting)
}

/** Applies `$setElementOrder/…` directives together with the patch lists of their fields, and removes both from the patch. */
function applyOrders(original: JsonObject, patch: JsonObject, schema: Schema): void {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(orderPrefix)) continue
    const order = asList(patch[directive])
    delete patch[directive]
    const key = fieldOf(directive, orderPrefix)
    const current = listAt(original, key)?.slice()
    const change = listAt(patch, key)
    const merging = mergingOf(schema, key)
    validateOrder(change ?? [], order, merging.mergeKey)
    if (current === undefined && change === undefined) continue
    const merged =
      current === undefined
        ? (plainValue(change as Json[]) as Json[])
        : change === undefined
          ? current
          : mergeListField(current, change, merging, false)
    holdsObjects(current ?? [], change ?? [])
    set(original, key, inOrder(merged, order, current ?? [], merging.mergeKey))
    delete patch[key]
  }
}

function listAt(object: JsonObject, key: string): Json[] | undefined {
  const value = get(object, key)
  return value === undefined ? undefined : asList(value)
}

function asList(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value
  throw unreasoned(`expected a []interface {}, but received a ${receivedType(value)}`)
}
