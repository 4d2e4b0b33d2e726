/** Validates the data of config maps and secrets. */

import { isLongerThan } from '../../schema/bytes.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { decodeBase64, encodeBase64 } from '../../schema/formats/base64.ts'
import { equal } from '../../schema/json/equal.ts'
import { given } from '../../schema/json/given-empty.ts'
import { set } from '../../schema/json/members.ts'
import { syntaxFault } from '../../schema/json/syntax.ts'
import type { HookContext, Infer, Json } from '../../schema/model.ts'
import { validateFormat, validateUnchanged } from '../validation.ts'
import type { ConfigMap as ConfigMapSchema } from './configmap.ts'
import type { Secret as SecretSchema } from './secret.ts'

type ConfigMap = Infer<typeof ConfigMapSchema>
type Secret = Infer<typeof SecretSchema>

const limit = 1024 * 1024
const encoder = new TextEncoder()
const data = FieldPath.of('data')

/** Number of bytes encoded by a base64 text. */
const decodedLength = (text: string) => (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)

function validateKeysAndSize(
  values: { [key: string]: string },
  path: FieldPath,
  sizeOf: (value: string) => number,
  errors: FieldErrors,
): number {
  let size = 0
  for (const key in values) {
    validateFormat(key, 'configMapKey', path.key(key), errors)
    size += sizeOf(values[key] as string)
  }
  return size
}

export const validateConfigMapUpdate = (object: ConfigMap, old: ConfigMap, errors: FieldErrors) =>
  validateFrozen(object, old, { data: {}, binaryData: undefined }, errors)

export function validateConfigMap(object: ConfigMap, errors: FieldErrors): void {
  const { data: texts = {}, binaryData = {} } = object
  for (const key in texts) {
    validateFormat(key, 'configMapKey', data.key(key), errors)
    if (Object.hasOwn(binaryData, key)) errors.invalid(data.key(key), key, 'duplicate of key present in binaryData')
  }
  const size = validateKeysAndSize(binaryData, FieldPath.of('binaryData'), decodedLength, errors)
  if (isLongerThan(limit - size, Object.values(texts))) errors.tooLong(FieldPath.of(''), limit)
}

interface Freezable {
  immutable?: boolean | undefined
}

/**
 * `immutable: true` can't be unset, and the data can't be changed. `absent`: what each field is without a value. Config maps have empty data by
 * default (pkg/apis/core/v1/defaults.go); elsewhere an empty map differs from an absent one, and no stored one is empty.
 */
function validateFrozen<T extends Freezable>(
  object: T,
  old: T,
  absent: { readonly [name in keyof T & string]?: Json | undefined },
  errors: FieldErrors,
): void {
  if (!old.immutable) return
  const why = 'field is immutable when `immutable` is set'
  if (!object.immutable) errors.forbidden(FieldPath.of('immutable'), why)
  for (const name of Object.keys(absent) as (keyof T & string)[])
    if (!equal((given(object, name) ?? absent[name]) as Json, (old[name] ?? absent[name]) as Json))
      errors.forbidden(FieldPath.of(name), why)
}

/** `stringData` is write-only: it replaces the data of the same keys. */
export function mergeTexts(secret: Secret): void {
  if (!secret.stringData) return
  secret.data ??= {}
  for (const key in secret.stringData) set(secret.data, key, encodeBase64(encoder.encode(secret.stringData[key])))
  delete secret.stringData
}

type TypeRule = (secret: Secret, errors: FieldErrors, context: HookContext) => void

const hasKeys =
  (...keys: readonly string[]): TypeRule =>
  ({ data: values = {} }, errors) => {
    for (const key of keys) if (!Object.hasOwn(values, key)) errors.required(data.key(key))
  }

const hasJson =
  (key: string): TypeRule =>
  ({ data: values = {} }, errors) => {
    const value = values[key]
    if (value === undefined) return errors.required(data.key(key))
    const problem = jsonProblem(value)
    if (problem) errors.invalid(data.key(key), '<secret contents redacted>', problem)
  }

function jsonProblem(value: string): string | undefined {
  const bytes = decodeBase64(value)
  const fault = syntaxFault(bytes)
  if (fault !== undefined) return fault
  const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes))
  if (parsed === null || (typeof parsed === 'object' && !Array.isArray(parsed))) return undefined
  const kind = Array.isArray(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`
}

/** Data requirements of the well-known types. */
const typeRules: Readonly<Record<string, TypeRule>> = {
  '<labels>/service-account-token'({ metadata }, errors, { platform }) {
    const key = platform.name('<labels>/service-account.name')
    if (!metadata?.annotations?.[key]) errors.required(FieldPath.of('metadata', 'annotations').key(key))
  },
  '<labels>/dockercfg': hasJson('.dockercfg'),
  '<labels>/dockerconfigjson': hasJson('.dockerconfigjson'),
  '<labels>/basic-auth'(secret, errors, context) {
    const { username, password } = secret.data ?? {}
    if (username === undefined && password === undefined) hasKeys('username', 'password')(secret, errors, context)
  },
  '<labels>/ssh-auth'({ data: values }, errors) {
    if (!values?.['ssh-privatekey']) errors.required(data.key('ssh-privatekey'))
  },
  '<labels>/tls': hasKeys('tls.crt', 'tls.key'),
}

export function validateSecretUpdate(secret: Secret, old: Secret, errors: FieldErrors): void {
  validateUnchanged(secret.type ?? '', old.type ?? '', FieldPath.of('type'), errors)
  validateFrozen(secret, old, { data: undefined }, errors)
}

export function validateSecret(secret: Secret, errors: FieldErrors, context: HookContext): void {
  const size = validateKeysAndSize(secret.data ?? {}, data, decodedLength, errors)
  if (size > limit) errors.tooLong(data, limit)
  for (const [type, rule] of Object.entries(typeRules)) {
    if (context.platform.name(type) === secret.type) rule(secret, errors, context)
  }
}
