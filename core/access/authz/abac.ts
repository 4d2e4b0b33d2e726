import type { User } from '../../request/exchange.ts'
import type { Policy } from './abac-policy.ts'
import type { Attributes, Authorizer, Decision } from './authorizer.ts'
import { matchesPath } from './rbac-rule.ts'
import type { SubjectRules } from './rules.ts'

const allow: Decision = { verdict: 'allow', reason: '' }
const unmatched: Decision = { verdict: 'no-opinion', reason: 'No policy matched.' }
const readVerbs = ['get', 'list', 'watch']

/** A policy names a user, a group or both; each one named must match. */
function matchesUser({ user, group }: Policy, { name, groups }: User): boolean {
  if (user === '' && group === '') return false
  return (user === '' || user === '*' || user === name) && (group === '' || group === '*' || groups.includes(group))
}

const covers = (pattern: string, value: string) => pattern === '*' || pattern === value

function matchesRequest(policy: Policy, { isResource, path, namespace, resource, group }: Attributes): boolean {
  if (!isResource) return policy.nonResourcePath !== '' && matchesPath(policy.nonResourcePath, path)
  return covers(policy.namespace, namespace) && covers(policy.resource, resource) && covers(policy.apiGroup, group)
}

/** Mode ABAC. It never denies. */
export function abacAuthorizer(policies: readonly Policy[]): Authorizer {
  return {
    name: 'ABAC',
    authorize(attributes) {
      const reads = readVerbs.includes(attributes.verb)
      const matching = policies.some(
        (policy) => (reads || !policy.readonly) && matchesUser(policy, attributes.user) && matchesRequest(policy, attributes),
      )
      return matching ? allow : unmatched
    },
    rulesFor(user, namespace): SubjectRules {
      const own = policies.filter((policy) => matchesUser(policy, user) && covers(policy.namespace, namespace))
      const verbs = ({ readonly }: Policy) => (readonly ? readVerbs : ['*'])
      return {
        resourceRules: own
          .filter(({ resource }) => resource !== '')
          .map((policy) => ({ verbs: verbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource] })),
        nonResourceRules: own
          .filter(({ nonResourcePath }) => nonResourcePath !== '')
          .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
        incomplete: false,
      }
    },
  }
}
