import { encodings, type Format, servedFormats } from '../answers/encodings/index.ts'
import { unsupportedByRoute, unsupportedMediaType } from '../answers/status.ts'
import type { Platform } from '../platform.ts'
import { names } from './route-media.ts'

export type PatchFormat = 'json-patch' | 'merge-patch' | 'strategic-merge-patch' | 'apply-patch' | 'apply-patch-cbor'

/** Media types of patches (RFC 6902, RFC 7396, API conventions), in the order of the 415 error text. */
const patchTypes: { readonly [format in PatchFormat]: string } = {
  'json-patch': 'application/json-patch+json',
  'merge-patch': 'application/merge-patch+json',
  'strategic-merge-patch': 'application/strategic-merge-patch+json',
  'apply-patch': 'application/apply-patch+yaml',
  'apply-patch-cbor': 'application/apply-patch+cbor',
}
const allPatchFormats = Object.keys(patchTypes) as readonly PatchFormat[]
export const patchFormats = allPatchFormats.filter((format) => format !== 'apply-patch-cbor')
/** Strategic merge patch needs a compiled-in schema. */
const isUnstructured = (format: PatchFormat) => format !== 'strategic-merge-patch'
export const unstructuredPatchFormats = patchFormats.filter(isUnstructured)

/** The formats of patches by whether the kind is compiled in, and whether the server has CBOR (KEP-4222). */
export function patchFormatsOf(isCompiled: boolean, cbor: boolean): readonly PatchFormat[] {
  if (!cbor) return isCompiled ? patchFormats : unstructuredPatchFormats
  return isCompiled ? allPatchFormats : allPatchFormats.filter(isUnstructured)
}

const essence = (contentType: string) => (contentType.split(';', 1)[0] as string).trim().toLowerCase()

/** Parameters as Go's mime.ParseMediaType reads them. */
const parameters = /^(\s*;\s*[!#$%&'*+\-.^_`|~\w]+\s*=\s*([!#$%&'*+\-.^_`|~\w]+|"([^"\\\r\n]|\\.)*"))*[\s;]*$/

/** Format of a request's body; default JSON. Throws UnsupportedMediaType. `protobuf`, `cbor`: whether it is accepted. */
export function bodyFormat(contentType: string | null, platform: Platform, protobuf: boolean, cbor = false): Format {
  if (contentType === null || contentType === '' || contentType === 'application/json') return 'json'
  const type = essence(contentType)
  const accepted = servedFormats(cbor).filter((format) => protobuf || !encodings[format].needsSchema)
  const semicolon = contentType.indexOf(';')
  if (semicolon < 0 || parameters.test(contentType.slice(semicolon))) {
    const found = accepted.find((format) => encodings[format].mediaTypes(platform).includes(type))
    if (found !== undefined) return found
  }
  throw unsupportedMediaType(accepted.map((format) => encodings[format].mediaTypes(platform)[0]))
}

/** Format of a patch, which must be given. Throws UnsupportedMediaType. */
export function patchFormat(contentType: string | null, accepted: readonly PatchFormat[]): PatchFormat {
  const given = contentType ?? ''
  const semicolon = given.indexOf(';')
  // As in the reference, a space before the parameters is a part of the type.
  const type = semicolon < 0 ? given : given.slice(0, semicolon)
  const found = accepted.find((format) => patchTypes[format] === type)
  if (found === undefined) throw unsupportedMediaType(accepted.map((format) => patchTypes[format]))
  return found
}

const typesOf = (formats: readonly PatchFormat[]) => formats.map((format) => patchTypes[format])
const usualPatchTypes = typesOf(patchFormats)
const allPatchTypes = typesOf(allPatchFormats)

/** Throws 415 unless the header of a PATCH names a type of patches, for built-in resources. */
export function checkPatchType(contentType: string | null, cbor = false): void {
  if (!names(contentType || 'application/octet-stream', cbor ? allPatchTypes : usualPatchTypes)) throw unsupportedByRoute()
}
