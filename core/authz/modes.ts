import type { Platform } from '../platform.ts'
import { abacAuthorizer } from './abac.ts'
import type { Policy } from './abac-policy.ts'
import { allowedPaths, alwaysAllow, alwaysDeny, privilegedGroups } from './always.ts'
import { type Authorizer, chain } from './authorizer.ts'
import { nodeAuthorizer } from './node.ts'
import type { FollowedGraph } from './node-follow.ts'
import { rbacAuthorizer } from './rbac.ts'
import type { RbacIndex } from './rbac-index.ts'

/** What the authorizers are made from. */
export interface AuthorizationContext {
  readonly platform: Platform
  readonly rbac: RbacIndex
  readonly nodes: FollowedGraph
  readonly policies: readonly Policy[]
}

/** Values of `--authorization-mode`, but for webhooks, of which there may be several. */
const modes: { readonly [mode: string]: (context: AuthorizationContext) => Authorizer } = {
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
  ABAC: ({ policies }) => abacAuthorizer(policies),
  RBAC: ({ rbac }) => rbacAuthorizer(rbac),
  Node: ({ nodes, platform }) => nodeAuthorizer(nodes, platform),
}

export const authorizationModes: readonly string[] = Object.keys(modes)

/** Everybody may ask whether the server is well: whoever watches over it needs no credentials. */
const healthPaths = ['/healthz', '/livez', '/readyz']

/**
 * The authorizer for these modes and webhooks, in their order. Members of `system:masters` and questions after health are allowed before any
 * of them is asked. Throws an Error on an unknown or repeated mode.
 */
export function createAuthorizer(entries: readonly (string | Authorizer)[], context: AuthorizationContext): Authorizer {
  const authorizers = entries.map((entry, index) => {
    if (typeof entry !== 'string') return entry
    const create = Object.hasOwn(modes, entry) ? modes[entry] : undefined
    if (create === undefined) throw new Error(`unknown authorization mode ${JSON.stringify(entry)}: use ${authorizationModes.join(', ')}`)
    if (entries.indexOf(entry) !== index) throw new Error(`authorization mode ${JSON.stringify(entry)} is given twice`)
    return create(context)
  })
  return chain([privilegedGroups('system:masters'), allowedPaths(...healthPaths), ...authorizers])
}
