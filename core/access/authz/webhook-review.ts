/** SubjectAccessReviews on the wire (authorization API, v1 and v1beta1). */

import { readReview } from '../../outgoing/webhook/read-review.ts'
import type { Platform } from '../../platform.ts'
import { SubjectAccessReview } from '../../resources/authorization/subjectaccessreview.ts'
import type { Attributes } from './authorizer.ts'
import { fieldSelectorRequirements, labelSelectorRequirements, type SelectorRequirement } from './selectors.ts'

export type ReviewVersion = 'v1' | 'v1beta1'

interface SelectorAttributes {
  readonly requirements: readonly SelectorRequirement[]
}

interface SentSelectors {
  readonly fieldSelector?: SelectorAttributes
  readonly labelSelector?: SelectorAttributes
}

/** authorization/v1 SubjectAccessReviewSpec; empty fields are absent. `Selectors`: what selectors of the resource look like. */
export interface ReviewSpec<Selectors = SentSelectors> {
  readonly resourceAttributes?: Selectors & {
    readonly namespace?: string
    readonly verb?: string
    readonly group?: string
    readonly version?: string
    readonly resource?: string
    readonly subresource?: string
    readonly name?: string
  }
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
  readonly uid?: string
}

/** The part of the response status that decides. */
export interface ReviewStatus {
  readonly allowed: boolean
  readonly denied: boolean
  readonly reason: string
}

/** Drops empty strings and lists, as Go's omitempty does. */
function filled<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value.length !== 0)) as Partial<T>
}

const selector = (requirements: readonly SelectorRequirement[]) => (requirements.length === 0 ? undefined : { requirements })

export function reviewSpec(attributes: Attributes): ReviewSpec {
  const { user, verb, path, namespace, group, version, resource, subresource, name } = attributes
  const what = attributes.isResource
    ? {
        resourceAttributes: filled({
          namespace,
          verb,
          group,
          version,
          resource,
          subresource,
          name,
          fieldSelector: selector(fieldSelectorRequirements(attributes)),
          labelSelector: selector(labelSelectorRequirements(attributes)),
        }),
      }
    : { nonResourceAttributes: filled({ path, verb }) }
  return { ...what, ...filled({ user: user.name, groups: user.groups, extra: user.extra, uid: user.uid }) } as ReviewSpec
}

const apiVersion = (version: ReviewVersion, platform: Platform) => platform.name(`authorization.<domain>/${version}`)

export function reviewBody(spec: ReviewSpec, version: ReviewVersion, platform: Platform): string {
  const { groups, ...rest } = spec
  // In v1beta1 the field `groups` is called `group`.
  const sent = version === 'v1' ? spec : { ...rest, ...(groups && { group: groups }) }
  return JSON.stringify({
    kind: 'SubjectAccessReview',
    apiVersion: apiVersion(version, platform),
    metadata: {},
    spec: sent,
    status: { allowed: false },
  })
}

/** Parses a response. Throws an Error that says why it is not a review of this version. */
export function readStatus(answer: string, version: ReviewVersion, platform: Platform): ReviewStatus {
  const group = platform.name('authorization.<domain>')
  const { review } = readReview(answer, { kind: 'SubjectAccessReview', group, version, schema: SubjectAccessReview })
  const { allowed = false, denied = false, reason = '' } = (review['status'] ?? {}) as Partial<ReviewStatus>
  return { allowed, denied, reason }
}
