import { uncounted } from '../../metrics.ts'
import type { Platform } from '../../platform.ts'
import { abacAuthorizer } from './abac.ts'
import type { Policy } from './abac-policy.ts'
import { alwaysAllow, alwaysDeny, privilegedGroups } from './always.ts'
import { type Authorizer, authorizerChain } from './authorizer.ts'
import { type AuthorizationMetrics, authorizationRows, counted } from './metrics.ts'
import { nodeAuthorizer } from './node.ts'
import type { FollowedGraph } from './node-follow.ts'
import { rbacAuthorizer } from './rbac.ts'
import type { RbacIndex } from './rbac-index.ts'

/** Dependencies of authorizers. */
export interface ModeContext {
  readonly platform: Platform
  readonly rbac: RbacIndex
  readonly nodes: FollowedGraph
  readonly policies: readonly Policy[]
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
  readonly metrics?: AuthorizationMetrics
}

/** One authorizer in the chain: a mode, or a webhook. `name`: its name in metrics (default: the mode in lower case). */
export interface Entry {
  readonly type: string
  readonly name?: string
  readonly webhook?: Authorizer
}

/** Values of `--authorization-mode` except Webhook, of which there may be several. */
const modes: { readonly [mode: string]: (context: ModeContext) => Authorizer } = {
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
  ABAC: ({ policies }) => abacAuthorizer(policies),
  RBAC: ({ rbac }) => rbacAuthorizer(rbac),
  Node: ({ nodes, platform, enabled }) => nodeAuthorizer(nodes, platform, enabled),
}

/** Values of `--authorization-mode`, in the reference server's order. */
export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const
export type AuthorizationMode = (typeof authorizationModes)[number]

/**
 * The chain of authorizers for these entries, in order. Members of `system:masters` are allowed before any of them. Throws an Error on an unknown or duplicate mode.
 */
export function createAuthorizer(entries: readonly Entry[], context: ModeContext): Authorizer {
  const { metrics = uncounted(authorizationRows) } = context
  const used = new Set<string>()
  const make = ({ type, webhook }: Entry): Authorizer => {
    if (webhook !== undefined) return webhook
    const create = Object.hasOwn(modes, type) ? modes[type] : undefined
    if (create === undefined) throw new Error(`unknown authorization mode ${JSON.stringify(type)}: use ${Object.keys(modes).join(', ')}`)
    if (used.has(type)) throw new Error(`authorization mode ${JSON.stringify(type)} is given twice`)
    used.add(type)
    return create(context)
  }
  const authorizers = entries.map((entry) => counted(entry.type, entry.name ?? entry.type.toLowerCase(), make(entry), metrics))
  return authorizerChain([privilegedGroups('system:masters'), ...authorizers])
}
