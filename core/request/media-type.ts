import type { Platform } from '../platform.ts'
import { unsupportedByRoute, unsupportedMediaType } from '../respond/status.ts'
import { names } from './route-media.ts'

export type BodyFormat = 'json' | 'yaml' | 'protobuf'
export type PatchFormat = 'json-patch' | 'merge-patch' | 'strategic-merge-patch' | 'apply-patch'

const bodyTypes: { readonly [mediaType: string]: BodyFormat } = { 'application/json': 'json', 'application/yaml': 'yaml' }

/** Media types of patches (RFC 6902, RFC 7396, API conventions), in the order of the 415 error text. */
const patchTypes: { readonly [format in PatchFormat]: string } = {
  'json-patch': 'application/json-patch+json',
  'merge-patch': 'application/merge-patch+json',
  'strategic-merge-patch': 'application/strategic-merge-patch+json',
  'apply-patch': 'application/apply-patch+yaml',
}
export const patchFormats = Object.keys(patchTypes) as readonly PatchFormat[]
/** Strategic merge patch needs a compiled-in schema. */
export const unstructuredPatchFormats = patchFormats.filter((format) => format !== 'strategic-merge-patch')

const essence = (contentType: string) => (contentType.split(';', 1)[0] as string).trim().toLowerCase()

/** Parameters as Go's mime.ParseMediaType reads them. */
const parameters = /^(\s*;\s*[!#$%&'*+\-.^_`|~\w]+\s*=\s*([!#$%&'*+\-.^_`|~\w]+|"([^"\\\r\n]|\\.)*"))*[\s;]*$/

/** Format of a request's body; default JSON. Throws UnsupportedMediaType. `protobuf`: whether it is accepted. */
export function bodyFormat(contentType: string | null, platform: Platform, protobuf: boolean): BodyFormat {
  if (contentType === null || contentType === '' || contentType === 'application/json') return 'json'
  const type = essence(contentType)
  const semicolon = contentType.indexOf(';')
  if (semicolon < 0 || parameters.test(contentType.slice(semicolon))) {
    if (Object.hasOwn(bodyTypes, type)) return bodyTypes[type] as BodyFormat
    if (protobuf && platform.protobufTypes.includes(type)) return 'protobuf'
  }
  throw unsupportedMediaType([...Object.keys(bodyTypes), ...(protobuf ? [platform.protobufType] : [])])
}

/** Format of a patch, which must be given. Throws UnsupportedMediaType. */
export function patchFormat(contentType: string | null, accepted: readonly PatchFormat[]): PatchFormat {
  // As in the reference, a space before the parameters is a part of the type.
  const type = (contentType ?? '').split(';', 1)[0] as string
  const found = accepted.find((format) => patchTypes[format] === type)
  if (found === undefined) throw unsupportedMediaType(accepted.map((format) => patchTypes[format]))
  return found
}

const allPatchTypes = Object.values(patchTypes)

/** Throws 415 unless the header of a PATCH names a type of patches, for built-in resources. */
export function checkPatchType(contentType: string | null): void {
  if (!names(contentType || 'application/octet-stream', allPatchTypes)) throw unsupportedByRoute()
}
