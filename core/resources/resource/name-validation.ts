/** Validation of names and named lists in the resource API. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import { formats } from '../../schema/formats/formats.ts'
import { isRawObject } from '../../schema/json/raw.ts'
import { printJson } from '../../schema/json/text.ts'
import type { Json } from '../../schema/model.ts'
import { validateFormat, validateRequiredFormat } from '../validation.ts'

const max = { driver: 63, pool: 253, identifier: 32 }

export function validateDriver(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(path)
  if (name.length > max.driver) errors.tooLong(path, max.driver)
  // Capital letters are allowed, but in messages about other characters the name is as it was written.
  for (const problem of name === '' ? [] : formats.dns1123Subdomain(name.toLowerCase())) errors.invalid(path, name, problem)
}

/** One or more subdomains, separated by slashes. */
export function validatePoolName(name: string, path: FieldPath, errors: FieldErrors) {
  if (name === '') return errors.required(path)
  if (name.length > max.pool) errors.tooLong(path, max.pool)
  for (const part of name.split('/')) validateFormat(part, 'dns1123Subdomain', path, errors)
}

function validateIdentifier(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name.length > max.identifier) errors.tooLong(path, max.identifier)
  validateFormat(name, 'identifier', path, errors)
}

/** A C identifier, optionally prefixed by a domain and slash. */
export function validateQualified(name: string, path: FieldPath, errors: FieldErrors) {
  const [first = '', second, ...more] = name.split('/')
  if (second === undefined) return validateIdentifier(first, path, errors)
  if (more.length > 0) return
  if (first === '') errors.invalid(path, '', 'the domain must not be empty')
  else validateDriver(first, path, errors)
  if (second === '') errors.invalid(path, '', 'the name must not be empty')
  else validateIdentifier(second, path, errors)
}

export function validateFullyQualified(name: string, path: FieldPath, errors: FieldErrors): void {
  validateQualified(name, path, errors)
  if (!name.includes('/')) errors.invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash')
}

export function validateShareID(id: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (id === undefined || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return
  const detail = 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
  const isUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
  errors.invalid(path, id, isUID ? detail : `error validating uid: invalid UUID length: ${id.length}`)
}

export const validateLabel = (name: string, path: FieldPath, errors: FieldErrors) =>
  validateRequiredFormat(name, 'dns1123Label', path, errors)

/** Names of requests and devices: an empty one is malformed, not missing. */
export const validateName = (name: string, path: FieldPath, errors: FieldErrors) => validateFormat(name, 'dns1123Label', path, errors)

type ValidateItem<T> = (item: T, path: FieldPath, errors: FieldErrors) => void

/** A list that exceeds the limit is reported without validating its items. */
export function validateList<T>(items: readonly T[], limit: number, path: FieldPath, errors: FieldErrors, validateItem: ValidateItem<T>) {
  if (items.length > limit) return errors.tooMany(path, items.length, limit)
  for (const [index, item] of items.entries()) validateItem(item, path.index(index), errors)
}

/** A list with unique keys. `shown`: how errors show the key of an item; default: the key. */
export function validateSet<T>(
  items: readonly T[],
  limit: number,
  key: (item: T) => string,
  path: FieldPath,
  errors: FieldErrors,
  validateItem: ValidateItem<T>,
  shown: (item: T) => Json = key,
) {
  validateList(items, limit, path, errors, validateItem)
  if (items.length > limit) return
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const name = key(item)
    if (seen.has(name)) errors.addAsIs('FieldValueDuplicate', path.index(index), shown(item), '')
    seen.add(name)
  }
}

/** Characters of the longest qualified name. */
const maxKeyLength = 63 + 1 + 32

/** A key as paths of errors show it: the middle of one that is too long is left out. */
function shownKey(name: string): string {
  if (name.length <= maxKeyLength) return name
  const kept = maxKeyLength - '...'.length
  return `${name.slice(0, Math.ceil(kept / 2))}...${name.slice(-Math.floor(kept / 2))}`
}

/** A map with validation of keys and values. Errors of a key are those of the map. */
export function validateMap<T>(
  map: { readonly [name: string]: T },
  limit: number,
  path: FieldPath,
  errors: FieldErrors,
  validateKey: ValidateItem<string>,
  validateItem: ValidateItem<T>,
) {
  const entries = Object.entries(map)
  if (entries.length > limit) return errors.tooMany(path, entries.length, limit)
  for (const [name, item] of entries) {
    validateKey(name, path, errors)
    validateItem(item, path.key(shownKey(name)), errors)
  }
}

const maxDataLength = 10 * 1024
const encoder = new TextEncoder()

/** Opaque data of a driver. */
export function validateData(data: unknown, path: FieldPath, errors: FieldErrors) {
  if (data === undefined || data === null) return errors.required(path)
  if (encoder.encode(printJson(data)).length > maxDataLength)
    errors.forgivable('size of parameters', () => errors.tooLong(path, maxDataLength))
  else if (!isRawObject(data)) errors.invalid(path, '<value omitted>', 'must be a valid JSON object')
}

/** Binding conditions and binding failure conditions: both or none, without duplicates. */
export function validateBinding(
  { bindingConditions: ready = [], bindingFailureConditions: failed = [] }: Binding,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = { ready: path.child('bindingConditions'), failed: path.child('bindingFailureConditions') }
  const validateItem: ValidateItem<string> = (name, where) => validateFormat(name, 'labelKey', where, errors)
  validateSet(ready, 4, (name) => name, at.ready, errors, validateItem)
  validateSet(failed, 4, (name) => name, at.failed, errors, validateItem)
  for (const [index, name] of failed.entries()) {
    if (!ready.includes(name)) continue
    errors.invalid(at.failed.index(index), name, 'bindingFailureConditions must not overlap with bindingConditions')
  }
  if (ready.length === 0 && failed.length > 0) {
    errors.invalid(at.ready, null, 'bindingConditions are required to use bindingFailureConditions')
  }
  if (failed.length === 0 && ready.length > 0) {
    errors.invalid(at.failed, null, 'bindingFailureConditions are required to use bindingConditions')
  }
}

interface Binding {
  readonly bindingConditions?: readonly string[] | undefined
  readonly bindingFailureConditions?: readonly string[] | undefined
}
