import type { Authorizer, Decision } from './authorizer.ts'

const allow: Decision = { verdict: 'allow', reason: '' }
const none: Decision = { verdict: 'no-opinion', reason: '' }
const nothing: Decision = { verdict: 'no-opinion', reason: 'Everything is forbidden.' }

/** Mode AlwaysAllow. */
export const alwaysAllow: Authorizer = {
  name: 'AlwaysAllow',
  authorize: () => allow,
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }),
}

/** Mode AlwaysDeny: it has no opinion, so that an authorizer after it may still allow. */
export const alwaysDeny: Authorizer = { name: 'AlwaysDeny', authorize: () => nothing }

/** Allows everything to the members of these groups. */
export function privilegedGroups(...groups: readonly string[]): Authorizer {
  return {
    name: 'PrivilegedGroups',
    authorize: ({ user }) => (user.groups.some((group) => groups.includes(group)) ? allow : none),
  }
}

/** Allows everybody to reach these paths outside the API. A `*` at the end stands for everything below. */
export function allowedPaths(...patterns: readonly string[]): Authorizer {
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')))
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1))
  return {
    name: 'AllowedPaths',
    authorize: ({ isResource, path }) =>
      !isResource && (exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix))) ? allow : none,
  }
}
