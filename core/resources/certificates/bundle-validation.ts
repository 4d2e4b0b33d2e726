/** Validates ClusterTrustBundles (KEP-3257). */

import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'
import type { HookContext, Infer } from '../../schema/model.ts'
import { bundleNameProblems, validateSignerName } from '../core/signer-name.ts'
import { isAuthority } from './signed-form.ts'
import type { ClusterTrustBundle } from './v1beta1/clustertrustbundle.ts'

type Bundle = Infer<typeof ClusterTrustBundle>

const maxBundleLength = 1024 * 1024
const omitted = '<value omitted>'
const blocks = /-----BEGIN ([^-\n]+)-----\r?\n([^-]*)-----END \1-----/g

/** An unchanged bundle is not validated again. */
export function validateBundle({ metadata, spec }: Bundle, errors: FieldErrors, _context: HookContext, old?: Bundle): void {
  const { signerName = '', trustBundle } = spec
  const { name = '' } = metadata ?? {}
  // The name may be missing, which is reported already.
  for (const problem of name === '' ? [] : bundleNameProblems(name, signerName))
    errors.invalid(FieldPath.of('metadata', 'name'), name, problem)
  if (signerName !== '') validateSignerName(signerName, FieldPath.of('spec', 'signerName'), errors)
  if (trustBundle !== old?.spec.trustBundle) validateAnchors(trustBundle, FieldPath.of('spec', 'trustBundle'), errors)
}

/** Error of a PEM block; undefined for a CA certificate. */
function faultOf(label: string, body: string): string | undefined {
  if (label !== 'CERTIFICATE') return `has bad block type: ${label}`
  if (body.includes(':')) return 'has PEM block headers'
  const authority = isAuthority(bytesOf(body))
  if (authority === undefined) return 'does not parse as X.509'
  return authority ? undefined : 'does not have the CA bit set'
}

function bytesOf(body: string): Uint8Array {
  try {
    return decodeBase64(body.replaceAll(/\s/g, ''))
  } catch {
    return new Uint8Array()
  }
}

function validateAnchors(text: string, path: FieldPath, errors: FieldErrors) {
  if (text.length > maxBundleLength) return errors.tooLong(path, maxBundleLength)
  const before = errors.count
  const known = new Map<string, number[]>()
  for (const [index, [, label = '', body = '']] of [...text.matchAll(blocks)].entries()) {
    const fault = faultOf(label, body)
    if (fault !== undefined) errors.invalid(path, omitted, `entry ${index} ${fault}`)
    const content = body.replaceAll(/\s/g, '')
    known.set(content, [...(known.get(content) ?? []), index])
  }
  if (errors.count > before) return
  if (known.size === 0) errors.invalid(path, omitted, 'at least one trust anchor must be provided')
  for (const indices of known.values()) {
    if (indices.length > 1) errors.invalid(path, omitted, `duplicate trust anchor (indices [${indices.join(' ')}])`)
  }
}
