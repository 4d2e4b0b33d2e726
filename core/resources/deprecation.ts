import { isReached, type Release } from '../release.ts'
import { apiVersionOf, type ResourceDefinition } from './definition.ts'

/** Warning for clients of a deprecated version: `policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, …`. `at` is the server's release. */
export function deprecationWarning(definition: ResourceDefinition, at: Release): string | undefined {
  const { kind, lifecycle, origin } = definition
  if (origin.deprecationWarning !== undefined) return origin.deprecationWarning
  const { deprecated, removed, replacement } = lifecycle
  if (deprecated === undefined || !isReached(deprecated, at)) return undefined
  const end = removed === undefined ? '' : `, unavailable in v${removed}+`
  const instead = replacement === undefined ? '' : `; use ${apiVersionOf(replacement)} ${replacement.kind}`
  return `${apiVersionOf(definition)} ${kind} is deprecated in v${deprecated}+${end}${instead}`
}
