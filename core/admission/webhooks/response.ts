/** Parses webhook responses: AdmissionReviews in the version sent, as strictly as the reference. */
import * as z from 'zod'
import type { Platform } from '../../platform.ts'
import { decodeBase64 } from '../../schema/base64.ts'
import type { Result } from './errors.ts'

const text = z.string().nullish()
const cause = z.object({ reason: text, message: text, field: text })
const details = z.object({
  name: text,
  group: text,
  kind: text,
  uid: text,
  causes: z.array(cause).nullish(),
  retryAfterSeconds: z.number().int().nullish(),
})
const metadata = z.object({ selfLink: text, resourceVersion: text, continue: text, remainingItemCount: z.number().int().nullish() })
const result = z.object({
  metadata: metadata.nullish(),
  status: text,
  message: text,
  reason: text,
  code: z.number().int().nullish(),
  details: details.nullish(),
})
const schema = z.object({
  kind: text,
  apiVersion: text,
  response: z
    .object({
      uid: text,
      allowed: z.boolean().nullish(),
      status: result.nullish(),
      patch: text,
      patchType: text,
      auditAnnotations: z.record(z.string(), z.string()).nullish(),
      warnings: z.array(z.string()).nullish(),
    })
    .nullish(),
})

export interface AdmissionResponse {
  readonly allowed: boolean
  readonly result: Result
  /** JSON patch as text; undefined: none. */
  readonly patch: string | undefined
  readonly annotations: { readonly [key: string]: string }
  readonly warnings: readonly string[]
}

/** Null counts as absent, as in Go. */
function present<T>(value: T): T {
  if (Array.isArray(value)) return value.map(present) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, each]) => (each == null ? [] : [[key, present(each)]]))) as T
}

export interface Expected {
  readonly uid: string
  readonly version: 'v1' | 'v1beta1'
  readonly mutating: boolean
}

/** The response is valid, but its patch is of a type that this server can't apply. */
export class UnsupportedPatch extends Error {
  override readonly name = 'UnsupportedPatch'
}

const versions = ['v1', 'v1beta1'] as const

/** Throws an Error for a named type that is not the one that was sent. */
function checkType({ kind, apiVersion }: z.output<typeof schema>, { version }: Expected, platform: Platform): void {
  if (!kind || !apiVersion) return
  const apiVersionOf = (each: string) => platform.name(`admission.<domain>/${each}`)
  const isReview = kind === 'AdmissionReview'
  if (isReview && apiVersion === apiVersionOf(version)) return
  const other = versions.find((each) => isReview && apiVersion === apiVersionOf(each))
  if (other !== undefined) throw new Error(`converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`)
  const where = 'in scheme "pkg/util/webhook/client.go:71"'
  throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} ${where}`)
}

/** Throws an Error with the reason when the text is malformed, or of another type than the one that was sent. */
export function parseReview(body: string, expected: Expected, platform: Platform): z.output<typeof schema> {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${(error as Error).message}`)
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) {
    checkType(parsed.data, expected, platform)
    return present(parsed.data)
  }
  const [issue] = parsed.error.issues
  throw new Error(`json: cannot unmarshal into AdmissionReview.${issue?.path.join('.')}: ${issue?.message}`)
}

/** The result of a parsed response. Throws an Error when it does not match the request. */
export function readResponse(
  { kind, apiVersion, response }: z.output<typeof schema>,
  expected: Expected,
  platform: Platform,
): AdmissionResponse {
  const { uid, version, mutating } = expected
  if (response == null) throw new Error('webhook response was absent')
  const { patch: encoded = '', patchType, allowed, auditAnnotations, warnings } = response
  if (version === 'v1') {
    if (response.uid !== uid) throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`)
    const wanted = platform.name('admission.<domain>/v1')
    if (kind !== 'AdmissionReview' || apiVersion !== wanted)
      throw new Error(`expected webhook response of ${wanted}, Kind=AdmissionReview, got ${apiVersion ?? '/'}, Kind=${kind ?? ''}`)
    validatePatchType(mutating, encoded ?? '', patchType ?? undefined)
  }
  return {
    allowed: allowed === true,
    result: (response.status ?? {}) as Result,
    patch: mutating && encoded ? new TextDecoder().decode(decodeBase64(encoded)) : undefined,
    annotations: auditAnnotations ?? {},
    warnings: warnings ?? [],
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
  if (patchType !== undefined && patchType !== 'JSONPatch')
    throw new UnsupportedPatch(`unsupported patch type ${JSON.stringify(patchType)}`)
}
