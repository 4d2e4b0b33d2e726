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

/** Mode AlwaysDeny: it has no opinion, so that a later authorizer may still allow the request. */
export const alwaysDeny: Authorizer = { name: 'AlwaysDeny', authorize: () => nothing }

/** Allows everything to members of these groups. */
export function privilegedGroups(...groups: readonly string[]): Authorizer {
  return {
    name: 'PrivilegedGroups',
    authorize: ({ user }) => (user.groups.some((group) => groups.includes(group)) ? allow : none),
  }
}
