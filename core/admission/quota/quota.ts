/** A stored ResourceQuota: scopes and usage. */
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../resources/core/resourcequota.ts'
import type { ApiObject } from '../../resources/definition.ts'
import type { Infer } from '../../schema/model.ts'
import type { Amounts } from './amounts.ts'
import type { Evaluator } from './evaluator.ts'

/** core/v1 ScopedResourceSelectorRequirement. */
export type ScopeRequirement = Infer<typeof ScopedResourceSelectorRequirement>

export interface QuotaObject extends ApiObject, Pick<Infer<typeof ResourceQuota>, 'spec' | 'status'> {
  metadata: ApiObject['metadata']
}

export const hardOf = ({ status }: QuotaObject): Amounts => status?.hard ?? {}
export const usedOf = ({ status }: QuotaObject): Amounts => status?.used ?? {}

/** All scope requirements that an object must meet. */
export const scopesOf = ({ spec }: QuotaObject): readonly ScopeRequirement[] => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
]

export const isInScope = (quota: QuotaObject, object: ApiObject, { inScope }: Evaluator) =>
  scopesOf(quota).every((scope) => inScope?.(scope, object) ?? false)

/** Whether a value (undefined: none) meets a requirement, as in a label selector. */
export function satisfies({ operator, values }: ScopeRequirement, value: string | undefined): boolean {
  const listed = value !== undefined && (values ?? []).includes(value)
  switch (operator) {
    case 'In':
      return listed
    case 'NotIn':
      return !listed
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}
