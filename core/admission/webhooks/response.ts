/** Parses webhook responses: AdmissionReviews in the version sent, as strictly as the reference. */
import type { Platform } from '../../platform.ts'
import { readTypeHeader } from '../../request/type-header.ts'
import { parseYaml } from '../../request/yaml.ts'
import { AdmissionReview } from '../../resources/admission/admissionreview.ts'
import { type ReviewVersion, reviewVersions } from '../../resources/webhook-client-validation.ts'
import { decodeBase64 } from '../../schema/base64.ts'
import { decode } from '../../schema/decode.ts'
import type { Json, Message } from '../../schema/model.ts'
import { checkStructure } from '../../webhook/parse-answer.ts'
import { shortText } from '../../webhook/short-text.ts'
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

const quoted = (text: string) => JSON.stringify(shortText(text))

/** Throws an Error for a named type that is not the one that was sent. */
function checkType({ kind, apiVersion }: Pick<Review, 'kind' | 'apiVersion'>, { version }: Expected, platform: Platform): void {
  if (kind === '' || apiVersion === '') return
  const apiVersionOf = (each: string) => platform.name(`admission.<domain>/${each}`)
  const isReview = kind === 'AdmissionReview'
  if (isReview && apiVersion === apiVersionOf(version)) return
  const other = reviewVersions.find((each) => isReview && apiVersion === apiVersionOf(each))
  if (other !== undefined) throw new Error(`converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`)
  const where = 'in scheme "pkg/util/webhook/client.go:71"'
  throw new Error(`no kind ${quoted(kind)} is registered for version ${quoted(apiVersion)} ${where}`)
}

/** Maximum characters of an answer that is read as YAML, which takes longer. */
const maxYaml = 256 * 1024

/** As the reference's client, which reads YAML when a text is not JSON. */
function parseText(body: string): Json {
  checkStructure(body)
  try {
    return JSON.parse(body) as Json
  } catch (error) {
    if (body.length > maxYaml) throw error
    return parseYaml(new TextEncoder().encode(body), { duplicates: false }).value
  }
}

/** Throws an Error with the reason when the text is malformed, or of another type than the one that was sent. */
export function parseReview(body: string, expected: Expected, platform: Platform): Review {
  const value = parseText(body)
  const header = readTypeHeader(value)
  if (typeof header === 'string') throw new Error(header)
  checkType(header, expected, platform)
  const { response } = decode(AdmissionReview as Message, value ?? {}, { root: true }).value as unknown as Review
  return { ...header, response }
}

/** The result of a parsed response. Throws an Error when it does not match the request. */
export function readResponse({ kind, apiVersion, response }: Review, expected: Expected, platform: Platform): AdmissionResponse {
  const { uid, version, mutating } = expected
  if (response === undefined) throw new Error('webhook response was absent')
  const { patch = '', patchType, allowed, status = {}, auditAnnotations = {}, warnings = [] } = response
  if (version === 'v1') {
    if (response.uid !== uid) throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${quoted(response.uid)}`)
    const wanted = platform.name('admission.<domain>/v1')
    if (kind !== 'AdmissionReview' || apiVersion !== wanted)
      throw new Error(`expected webhook response of ${wanted}, Kind=AdmissionReview, got ${apiVersion || '/'}, Kind=${kind}`)
    validatePatchType(mutating, patch, patchType)
  }
  return {
    allowed,
    result: status,
    patch: mutating && patch ? new TextDecoder().decode(decodeBase64(patch)) : undefined,
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
