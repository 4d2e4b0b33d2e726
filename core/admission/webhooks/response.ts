/** Parses webhook responses: AdmissionReviews in the version sent, as strictly as the reference. */

import { readReview } from '../../outgoing/webhook/read-review.ts'
import { shortText } from '../../outgoing/webhook/short-text.ts'
import type { Platform } from '../../platform.ts'
import { AdmissionReview } from '../../resources/admission/admissionreview.ts'
import type { ReviewVersion } from '../../resources/webhook-client-validation.ts'
import { decodeBase64 } from '../../schema/formats/base64.ts'
import { quote } from '../../schema/go/quote.ts'
import type { Message } from '../../schema/model.ts'
import type { Result } from './errors.ts'

/** A parsed review. Absent members are not set; kind and apiVersion may be empty. */
export interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly response:
    | {
        readonly uid: string
        readonly allowed: boolean
        readonly status?: Result
        /** In base64. */
        readonly patch?: string
        readonly patchType?: string
        readonly auditAnnotations?: { readonly [key: string]: string }
        readonly warnings?: readonly string[]
      }
    | undefined
}

export interface AdmissionResponse {
  readonly allowed: boolean
  readonly result: Result
  /** JSON patch as text; undefined: none. */
  readonly patch: string | undefined
  readonly annotations: { readonly [key: string]: string }
  readonly warnings: readonly string[]
}

export interface Expected {
  readonly uid: string
  readonly version: ReviewVersion
  readonly mutating: boolean
}

/** The response is valid, but its patch is of a type that this server can't apply. */
export class UnsupportedPatch extends Error {
  override readonly name = 'UnsupportedPatch'
}

const quoted = (text: string) => quote(shortText(text))

/** Throws an Error with the reason when the text is malformed, or of another type than the one that was sent. */
export function parseReview(body: string, { version }: Expected, platform: Platform): Review {
  const type = { kind: 'AdmissionReview', group: platform.name('admission.<domain>'), version, schema: AdmissionReview as Message }
  const { kind, apiVersion, review } = readReview(body, type)
  return { kind, apiVersion, response: review['response'] as unknown as Review['response'] }
}

/** The result of a parsed response. Throws an Error when it does not match the request. */
export function readResponse({ kind, apiVersion, response }: Review, expected: Expected, platform: Platform): AdmissionResponse {
  const { uid, version, mutating } = expected
  if (response === undefined) throw new Error('webhook response was absent')
  const { patch = '', patchType, allowed, status = {}, auditAnnotations = {}, warnings = [] } = response
  if (version === 'v1') {
    if (response.uid !== uid) throw new Error(`expected response.uid=${quote(uid)}, got ${quoted(response.uid)}`)
    const wanted = platform.name('admission.<domain>/v1')
    if (kind !== 'AdmissionReview' || apiVersion !== wanted)
      throw new Error(
        `expected webhook response of ${wanted}, Kind=AdmissionReview, got ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`,
      )
    validatePatchType(mutating, patch, patchType)
  }
  return {
    allowed,
    result: status,
    patch: mutating && patch ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(decodeBase64(patch)) : undefined,
    annotations: auditAnnotations,
    warnings,
  }
}

function validatePatchType(mutating: boolean, patch: string, patchType: string | undefined): void {
  if (!mutating) {
    if (patch !== '') throw new Error('validating webhook may not return response.patch')
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType')
    return
  }
  if (patch !== '' && patchType === undefined) throw new Error('webhook returned response.patch but not response.patchType')
  if (patch === '' && patchType !== undefined) throw new Error('webhook returned response.patchType but not response.patch')
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""')
  if (patchType !== undefined && patchType !== 'JSONPatch') throw new UnsupportedPatch(`unsupported patch type ${quoted(patchType)}`)
}
