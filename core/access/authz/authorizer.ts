import type { Context } from '../../ports.ts'
import type { User } from '../../request/exchange.ts'
import { aggregate, mergeRules, type SubjectRules } from './rules.ts'

/** Attributes of an authorization decision (authorizer.Attributes), created by `attributesOf`. */
export interface Attributes {
  readonly user: User
  readonly verb: string
  readonly isResource: boolean
  readonly path: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  readonly namespace: string
  /** Selectors as text. They only narrow the request, so an authorizer may ignore a selector that it can't parse. */
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

interface Selectors {
  labelSelector?: string
  fieldSelector?: string
}

/** Attributes of a request. Listed one by one, because spreading `info` is several times slower and runs for every request. */
export function attributesOf(user: User, info: Omit<Attributes, 'user'>): Attributes {
  const { verb, isResource, path, group, version, resource, subresource, name, namespace, labelSelector, fieldSelector } = info
  const attributes: Attributes & Selectors = { user, verb, isResource, path, group, version, resource, subresource, name, namespace }
  if (labelSelector !== undefined) attributes.labelSelector = labelSelector
  if (fieldSelector !== undefined) attributes.fieldSelector = fieldSelector
  return attributes
}

export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no-opinion'
  /** Written to the audit log and, for a denial, sent to the client. May be empty. */
  readonly reason: string
  /** Error during the decision. If no authorizer allows the request, it fails with 500 instead of 403. */
  readonly error?: string
}

/** Allows, denies, or has no opinion. Returns a plain value unless it needs I/O, which ends with the context; then it may reject. */
export interface Authorizer {
  readonly name: string
  authorize(attributes: Attributes, context: Context | undefined): Decision | Promise<Decision>
  /** Rules of a user in a namespace, for SelfSubjectRulesReview; absent: the authorizer has no list of rules. */
  rulesFor?(user: User, namespace: string): SubjectRules
}

/** Reasons and errors of authorizers without an opinion. */
interface Gathered {
  readonly reasons: string
  readonly errors: readonly string[]
}

const nothing: Gathered = { reasons: '', errors: [] }

function gather({ reasons, errors }: Gathered, { reason, error }: Decision): Gathered {
  return {
    reasons: reasons === '' || reason === '' ? reasons + reason : `${reasons}\n${reason}`,
    errors: error === undefined ? errors : [...errors, error],
  }
}

const undecided = ({ reasons, errors }: Gathered): Decision => ({
  verdict: 'no-opinion',
  reason: reasons,
  ...(errors.length > 0 && { error: aggregate(errors) }),
})

/** Asks authorizers in order; the first allow or deny wins. Otherwise the result is no opinion with all reasons, one per line. */
export function authorizerChain(authorizers: readonly Authorizer[]): Authorizer {
  const only = authorizers[0]
  if (only !== undefined && authorizers.length === 1) return only

  const ask = (attributes: Attributes, context: Context | undefined, from: number, before: Gathered): Decision | Promise<Decision> => {
    let gathered = before
    for (let index = from; index < authorizers.length; index++) {
      const decision = authorizers[index]?.authorize(attributes, context)
      if (decision instanceof Promise) {
        const sofar = gathered
        return decision.then((late) => (late.verdict === 'no-opinion' ? ask(attributes, context, index + 1, gather(sofar, late)) : late))
      }
      if (decision === undefined) continue
      if (decision.verdict !== 'no-opinion') return decision
      if (decision.reason !== '' || decision.error !== undefined) gathered = gather(gathered, decision)
    }
    return undecided(gathered)
  }
  return {
    name: authorizers.map(({ name }) => name).join(','),
    authorize: (attributes, context) => ask(attributes, context, 0, nothing),
    rulesFor: (user, namespace) => mergeRules(authorizers.flatMap((each) => each.rulesFor?.(user, namespace) ?? [])),
  }
}
