import type { User } from '../request/exchange.ts'
import { aggregate, mergeRules, type SubjectRules } from './rules.ts'

/** What an authorizer decides on (authorizer.Attributes). `{ user, ...info }` of a RequestInfo has this shape. */
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
  /** Selectors as text; they only narrow what is asked for, so an authorizer may ignore one that it can't read. */
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no-opinion'
  /** For the audit log and, after a refusal, for the client. May be empty. */
  readonly reason: string
  /** What went wrong while deciding. A request that nobody allows then fails with 500 instead of 403. */
  readonly error?: string
}

/** Decides on its own, or has no opinion. Returns a plain value unless it has to wait for something. */
export interface Authorizer {
  readonly name: string
  authorize(attributes: Attributes): Decision | Promise<Decision>
  /** What this authorizer allows a user in a namespace; absent: nothing that can be told apart from its decisions. */
  rulesFor?(user: User, namespace: string): SubjectRules
}

/** Reasons and errors of the authorizers that had no opinion. */
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

/** Asks in order; the first allow or deny counts. Without one, the result is no opinion with every reason given, one per line. */
export function chain(authorizers: readonly Authorizer[]): Authorizer {
  const only = authorizers[0]
  if (only !== undefined && authorizers.length === 1) return only

  const ask = (attributes: Attributes, from: number, before: Gathered): Decision | Promise<Decision> => {
    let gathered = before
    for (let index = from; index < authorizers.length; index++) {
      const decision = authorizers[index]?.authorize(attributes)
      if (decision instanceof Promise) {
        const sofar = gathered
        return decision.then((late) => (late.verdict === 'no-opinion' ? ask(attributes, index + 1, gather(sofar, late)) : late))
      }
      if (decision === undefined) continue
      if (decision.verdict !== 'no-opinion') return decision
      if (decision.reason !== '' || decision.error !== undefined) gathered = gather(gathered, decision)
    }
    return undecided(gathered)
  }
  return {
    name: authorizers.map(({ name }) => name).join(','),
    authorize: (attributes) => ask(attributes, 0, nothing),
    rulesFor: (user, namespace) => mergeRules(authorizers.flatMap((each) => each.rulesFor?.(user, namespace) ?? [])),
  }
}
