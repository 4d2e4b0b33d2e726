import * as z from 'zod/mini'
import { list, mapped, optional, optionalDuration, optionalInt32, text, typeMeta } from '../../config/files/fields.ts'
import { type FileContext, fileKind } from '../../config/files/kind.ts'
import { DecodeError } from '../../schema/decode-error.ts'
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'
import { validateResources } from './resources.ts'

const keys = z.strictObject({ keys: list(z.strictObject({ name: text, secret: text })) })

const kms = mapped(
  z.strictObject({ apiVersion: text, name: text, cachesize: optionalInt32, endpoint: text, timeout: optionalDuration }),
  ({ apiVersion: given, cachesize, timeout = 3_000, ...rest }) => {
    const apiVersion = given === '' ? 'v1' : given
    return { ...rest, apiVersion, timeout, cachesize: cachesize ?? (apiVersion === 'v1' ? 1000 : undefined) }
  },
)

const provider = z.strictObject({
  aesgcm: optional(keys),
  aescbc: optional(keys),
  secretbox: optional(keys),
  identity: optional(z.strictObject({})),
  kms: optional(kms),
})

const schema = z.strictObject({
  ...typeMeta,
  resources: list(z.strictObject({ resources: list(z.string()), providers: list(provider) })),
})

export type EncryptionConfiguration = z.output<typeof schema>
export type EncryptionProvider = z.output<typeof provider>
export type KeyManagement = z.output<typeof kms>

/** Allowed key lengths in bytes per provider. */
const keyLengths = { aesgcm: [16, 24, 32], aescbc: [16, 24, 32], secretbox: [32] } as const
const transformers = ['aesgcm', 'aescbc', 'secretbox'] as const

function validateSecret(secret: string, lengths: readonly number[], path: FieldPath, errors: FieldErrors): void {
  if (secret === '') {
    errors.required(path, 'secret is a mandatory field for a key')
    return
  }
  try {
    const { length } = decodeBase64(secret)
    if (lengths.includes(length)) return
    errors.invalid(path, 'REDACTED', `secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    errors.invalid(path, 'REDACTED', 'secrets must be base64 encoded')
  }
}

function validateKeys(given: z.output<typeof keys>, lengths: readonly number[], path: FieldPath, errors: FieldErrors): void {
  if (given.keys.length === 0) errors.required(path, 'at least one keys is required')
  for (const [index, { name, secret }] of given.keys.entries()) {
    const at = path.index(index)
    if (name === '') errors.required(at.child('name'), 'name is a mandatory field for a key')
    validateSecret(secret, lengths, at.child('secret'), errors)
  }
}

function validateKeyManagement(given: KeyManagement, path: FieldPath, used: ReadonlySet<string>, reload: boolean, errors: FieldErrors) {
  const { apiVersion, name, cachesize, endpoint, timeout } = given
  const old = apiVersion === 'v1'
  if (name === '') errors.required(path.child('name'), 'name is a mandatory field for a provider')
  if (!old && name.includes(':')) errors.invalid(path.child('name'), name, `invalid KMS provider name ${name}, must not contain ':'`)
  if ((reload || !old) && used.has(name)) {
    errors.invalid(path.child('name'), name, `duplicate KMS provider name ${name}, names must be unique`)
  }
  if (timeout <= 0) errors.invalid(path.child('timeout'), timeout / 1000, 'timeout should be a positive value')
  if (endpoint === '') errors.invalid(path.child('endpoint'), '', 'endpoint is a mandatory field for a kms')
  else if (!endpoint.startsWith('unix://')) {
    const scheme = /^[a-z][a-z\d+.-]*(?=:)/i.exec(endpoint)?.[0] ?? ''
    errors.invalid(
      path.child('endpoint'),
      endpoint,
      `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`,
    )
  }
  if (!old && cachesize !== undefined) errors.invalid(path.child('cachesize'), cachesize, 'cachesize is not supported in v2')
  if (old && cachesize === 0) errors.invalid(path.child('cachesize'), 0, 'cachesize should be a positive value, or negative to disable')
  if (!['v1', 'v2'].includes(apiVersion)) {
    errors.invalid(path.child('apiVersion'), apiVersion, 'unsupported apiVersion for KMS provider, only v1 and v2 are supported')
  }
}

function validateProvider(given: EncryptionProvider, path: FieldPath, used: Set<string>, reload: boolean, errors: FieldErrors): void {
  const named = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (named.length !== 1) {
    const detail =
      named.length === 0
        ? 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'
        : 'more than one provider specified in a single element, should split into different list elements'
    errors.invalid(path, named, detail)
    return
  }
  for (const name of transformers) {
    const value = given[name]
    if (value !== undefined) validateKeys(value, keyLengths[name], path.child(name).child('keys'), errors)
  }
  if (given.kms !== undefined) {
    validateKeyManagement(given.kms, path.child('kms'), used, reload, errors)
    used.add(given.kms.name)
  }
}

export const encryptionConfiguration = fileKind({
  kinds: [
    { kind: 'EncryptionConfiguration', versions: ['apiserver.config.<domain>/v1'] },
    { kind: 'EncryptionConfig', versions: ['v1'] },
  ],
  schema,
  validate({ resources }, errors, { platform, automaticReload }: FileContext) {
    const root = FieldPath.of('resources')
    if (resources.length === 0) {
      errors.required(root, 'at least one resources is required')
      return
    }
    const selected = resources.map((entry) => entry.resources)
    validateResources(selected, root, platform, errors)
    const used = new Set<string>()
    for (const [index, entry] of resources.entries()) {
      const path = root.index(index).child('providers')
      if (entry.providers.length === 0) errors.required(path, `at least one ${path} is required`)
      for (const [number, each] of entry.providers.entries()) validateProvider(each, path.index(number), used, automaticReload, errors)
    }
  },
})
