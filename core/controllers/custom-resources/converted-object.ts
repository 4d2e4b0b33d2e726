/** Validates converted objects: a webhook may not change an object's identity, and of its metadata only labels and annotations. */

import { shortText } from '../../outgoing/webhook/short-text.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { shorten } from '../../schema/go/shorten.ts'
import { equal } from '../../schema/json/equal.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { printJson } from '../../schema/json/text.ts'
import type { Json } from '../../schema/model.ts'
import { validateAnnotations, validateLabels } from '../../schema/object-meta.ts'
import { jsonType } from '../../schema/scalars.ts'

/** An object as returned by the webhook. */
export type Converted = Json | undefined

/** Why a converted object is invalid. */
export class InvalidObject extends Error {
  override readonly name = 'InvalidObject'
  readonly #what: 'object' | 'metadata' | 'type'
  constructor(what: 'object' | 'metadata' | 'type', why: string) {
    super(shortText(why))
    this.#what = what
  }
  /** `index`: position in a response with several objects. */
  text(index: number | undefined): string {
    if (this.#what === 'metadata') return `invalid metadata${index === undefined ? '' : ` in object at index ${index}`}: ${this.message}`
    if (index === undefined) return `invalid object${this.#what === 'type' ? ' at index 0' : ''}: ${this.message}`
    return `invalid converted object at index ${index}: ${this.message}`
  }
}

type Members = { readonly [name: string]: Json | undefined }
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** Go type name of a value. */
function typeOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int64'
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64'
    default:
      return 'map[string]interface {}'
  }
}

function validateIdentity(original: ApiObject, converted: Members, apiVersion: string): void {
  const { kind, metadata } = original
  if (converted['apiVersion'] !== apiVersion) {
    const received = text(converted['apiVersion'])
    throw new InvalidObject('type', `invalid groupVersion (expected ${apiVersion}, received ${received})`)
  }
  if (converted['kind'] !== kind) throw new InvalidObject('type', `invalid kind (expected ${kind}, received ${text(converted['kind'])})`)
  const given = isObject(converted['metadata']) ? converted['metadata'] : {}
  for (const [name, label] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [expected, actual] = [metadata[name] ?? '', text(given[name])]
    if (expected !== actual) throw new InvalidObject('object', `must have the same ${label}: ${expected} != ${actual}`)
  }
}

/** Validates returned labels or annotations. */
function textsOf(name: 'labels' | 'annotations', given: Json | undefined, original: ApiObject): { [key: string]: string } | undefined {
  if (given === undefined || given === null) return undefined
  if (!isObject(given)) throw new InvalidObject('metadata', `invalid metadata.${name} of type ${typeOf(given)} in converted object`)
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === 'string') continue
    throw new InvalidObject('metadata', `metadata.${name}[${key}] must be a string, but is ${typeOf(value)} in converted object`)
  }
  const texts = given as { [key: string]: string }
  if (equal(texts, original.metadata[name] ?? {})) return texts
  const errors = new FieldErrors()
  if (name === 'labels') validateLabels(texts, FieldPath.of('metadata', 'labels'), errors)
  else validateAnnotations(texts, FieldPath.of('metadata', 'annotation'), errors)
  const problems = errors.list.map(({ field, message }) => `${field}: ${message}`)
  if (problems.length > 0) throw new InvalidObject('metadata', problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`)
  return texts
}

/** Maximum characters of an object in errors. */
const maxShown = 1_024

/** What the webhook returned in place of an object, as an object with a kind. Throws an Error with Go's text otherwise. */
export function readConverted(converted: Converted): Members {
  if (converted === undefined || converted === null) throw new Error('unexpected end of JSON input')
  if (!isObject(converted)) throw new Error(`json: cannot unmarshal ${jsonType(converted)} into Go value of type map[string]interface {}`)
  if (text(converted['kind']) === '') throw new Error(`Object 'Kind' is missing in '${shorten(printJson(converted), maxShown)}'`)
  return converted
}

/** The converted object with the original's immutable metadata. Throws InvalidObject. */
export function mergedObject(original: ApiObject, converted: Members, apiVersion: string): ApiObject {
  validateIdentity(original, converted, apiVersion)
  const given = converted['metadata']
  if (given === undefined) throw new InvalidObject('metadata', 'missing metadata in converted object')
  if (!isObject(given)) throw new InvalidObject('metadata', `invalid metadata of type ${typeOf(given)} in converted object`)
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata
  const labels = textsOf('labels', given['labels'], original)
  const annotations = textsOf('annotations', given['annotations'], original)
  return {
    ...converted,
    kind: original.kind,
    apiVersion,
    metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) },
  }
}
