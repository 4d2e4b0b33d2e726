import type { Platform } from '../../../platform.ts'
import type { ApiObject, ObjectMeta } from '../../../resources/definition.ts'
import { equal } from '../../../schema/json/equal.ts'
import type { Json } from '../../../schema/model.ts'
import type { LabelSelector } from '../rbac-aggregate.ts'
import { covers } from '../rbac-covers.ts'
import type { RoleRef, Subject } from '../rbac-index.ts'
import type { PolicyRule } from '../rbac-rule.ts'
import { autoUpdate } from './objects.ts'

/** How to reconcile a default role or binding. `recreate`: delete and create, because the roleRef of a binding is immutable. */
export interface Reconciliation {
  readonly action: 'create' | 'update' | 'recreate'
  readonly object: ApiObject
}

/** Fields of roles and bindings alike. */
interface RbacFields {
  readonly kind: string
  readonly rules?: readonly PolicyRule[] | null
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] } | null
  readonly roleRef?: RoleRef
  readonly subjects?: readonly Subject[] | null
}

const roleOf = ({ roleRef }: RbacFields) => JSON.stringify([roleRef?.apiGroup ?? '', roleRef?.kind, roleRef?.name])
const subjectKey = ({ kind, apiGroup, name, namespace }: Subject) => JSON.stringify([kind, apiGroup ?? '', name, namespace ?? ''])

/** Keys of the existing map win; undefined when none is missing. */
function merged(desired: { [key: string]: string } = {}, existing: { [key: string]: string } = {}) {
  return Object.keys(desired).every((key) => Object.hasOwn(existing, key)) ? undefined : { ...desired, ...existing }
}

function changesOfRole(desired: RbacFields, existing: RbacFields): { [field: string]: unknown } {
  const { rules: held } = existing
  const { rules: wanted } = desired
  // Fast path: usually the rules are equal, and comparing takes a tenth of the time.
  const missing = equal(held as unknown as Json, wanted as unknown as Json) ? [] : covers(held ?? [], wanted ?? [])
  const selectors = existing.aggregationRule?.clusterRoleSelectors ?? []
  const known = selectors.map((selector) => JSON.stringify(selector))
  const added = (desired.aggregationRule?.clusterRoleSelectors ?? []).filter((selector) => !known.includes(JSON.stringify(selector)))
  return {
    ...(missing.length > 0 && { rules: [...(held ?? []), ...missing] }),
    ...(desired.aggregationRule == null && existing.aggregationRule != null && { aggregationRule: undefined }),
    ...(added.length > 0 && { aggregationRule: { clusterRoleSelectors: [...selectors, ...added] } }),
  }
}

function changesOfBinding(desired: RbacFields, existing: RbacFields): { [field: string]: unknown } {
  const known = new Set((existing.subjects ?? []).map(subjectKey))
  const missing = (desired.subjects ?? []).filter((subject) => !known.has(subjectKey(subject)))
  return missing.length === 0 ? {} : { subjects: [...(existing.subjects ?? []), ...missing] }
}

/**
 * Reconciles a stored role or binding with its default: adds missing rules, aggregation selectors, subjects, labels and
 * annotations; removes only an aggregation rule that is not a default. Undefined when nothing changes, or when the object's
 * autoupdate annotation is `false`.
 */
export function reconcile(desired: ApiObject, existing: ApiObject | undefined, platform: Platform): Reconciliation | undefined {
  if (existing === undefined) return { action: 'create', object: desired }
  if (existing.metadata.annotations?.[platform.name(autoUpdate)] === 'false') return undefined
  const [wanted, stored]: [RbacFields, RbacFields] = [desired, existing]
  if (wanted.roleRef !== undefined && roleOf(wanted) !== roleOf(stored)) return { action: 'recreate', object: desired }

  const labels = merged(desired.metadata.labels, existing.metadata.labels)
  const annotations = merged(desired.metadata.annotations, existing.metadata.annotations)
  const changes = wanted.roleRef === undefined ? changesOfRole(wanted, stored) : changesOfBinding(wanted, stored)
  if (labels === undefined && annotations === undefined && Object.keys(changes).length === 0) return undefined

  const metadata: ObjectMeta = { ...existing.metadata, ...(labels && { labels }), ...(annotations && { annotations }) }
  const object: ApiObject = { ...existing, ...changes, metadata }
  if ('aggregationRule' in object && object['aggregationRule'] === undefined) delete object['aggregationRule']
  return { action: 'update', object }
}
