import { parseFeatureGates } from '../../../config/feature-gates.ts'
import type { Platform } from '../../../platform.ts'
import type { ApiObject } from '../../../resources/definition.ts'
import type { Enabled } from '../../../schema/gated.ts'
import type { PolicyRule } from '../rbac-rule.ts'
import { clusterBindings } from './cluster-bindings.ts'
import { clusterRoles } from './cluster-roles.ts'
import { controllerGates, controllerRules } from './controller-roles.ts'
import { namespaceBindings, namespaceRoles } from './namespace-roles.ts'
import type { BindingRow, GatedRow, RoleRow, RuleRow } from './rows.ts'

const roleGroup = 'rbac.authorization.<domain>'
const head = (kind: string) => ({ kind, apiVersion: `${roleGroup}/v1` })
const aggregateLabel = (role: string) => `${roleGroup}/aggregate-to-${role}`

/** Annotation: `false` excludes a default role or binding from reconciliation. */
export const autoUpdate = 'rbac.authorization.<labels>/autoupdate'

function metadata({ name, namespace }: { name: string; namespace?: string }, labels: { [key: string]: string } = {}) {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: { '<labels>/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [autoUpdate]: 'true' },
  }
}

const exists =
  (enabled: Enabled) =>
  ({ gates = [] }: GatedRow): boolean =>
    gates.every(enabled)

const ruleOf =
  (enabled: Enabled) =>
  ({ gates: _gates, gatedUrls, ...rule }: RuleRow): PolicyRule => {
    const isServed = (url: string) => gatedUrls?.[url] === undefined || enabled(gatedUrls[url])
    return { ...rule, ...(rule.nonResourceURLs && { nonResourceURLs: rule.nonResourceURLs.filter(isServed) }) }
  }

const roleObject =
  (enabled: Enabled) =>
  (row: RoleRow): ApiObject => ({
    ...head(row.namespace === undefined ? 'ClusterRole' : 'Role'),
    metadata: metadata(row, row.aggregateTo === undefined ? {} : { [aggregateLabel(row.aggregateTo)]: 'true' }),
    // Rules of aggregated roles are filled in from others, and have no manager.
    ...(row.rules && { rules: row.rules.filter(exists(enabled)).map(ruleOf(enabled)) }),
    ...(row.aggregates !== undefined && {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateLabel(row.aggregates)]: 'true' } }] },
    }),
  })

const bindingObject = (row: BindingRow): ApiObject => {
  const subject = (kind: string) => (name: string) => ({ apiGroup: roleGroup, kind, name })
  const subjects = [
    ...(row.groups ?? []).map(subject('Group')),
    ...(row.users ?? []).map(subject('User')),
    ...(row.accounts ?? []).map((name) => ({ kind: 'ServiceAccount', name, namespace: '<system>' })),
  ]
  return {
    ...head(row.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding'),
    metadata: metadata(row),
    roleRef: { apiGroup: roleGroup, kind: row.namespace === undefined ? 'ClusterRole' : 'Role', name: row.role ?? row.name },
    ...(subjects.length > 0 && { subjects }),
  }
}

/** Copies a JSON value and passes every string, keys included, through `resolve`. */
function mapTexts(value: unknown, resolve: (text: string) => string): unknown {
  if (typeof value === 'string') return resolve(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, resolve))
  if (value === null || typeof value !== 'object') return value
  const mapped: { [key: string]: unknown } = {}
  for (const key in value) mapped[resolve(key)] = mapTexts((value as typeof mapped)[key], resolve)
  return mapped
}

/**
 * Default roles and bindings; roles come before the bindings that refer to them. `enabled`: feature gates, default: their defaults in this
 * release. Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy of the reference.
 */
export function bootstrapRbac(platform: Platform, enabled: Enabled = parseFeatureGates([], platform).enabled): ApiObject[] {
  // Most strings have no placeholder.
  const resolve = (text: string) => (text.includes('<') ? resolved(text) : text)
  const resolved = (text: string) =>
    platform
      .name(text)
      .replaceAll('<component>', platform.component)
      .replaceAll('<system>', platform.namespaces.system)
      .replaceAll('<public>', platform.namespaces.public)
  const controllers = Object.entries(controllerRules()).map(([account, rules]) => {
    return { name: `system:controller:${account}`, accounts: [account], rules, gates: controllerGates[account] ?? [] }
  })
  const roles: readonly RoleRow[] = [...clusterRoles(), ...controllers, ...namespaceRoles]
  const bindings: readonly BindingRow[] = [...clusterBindings, ...controllers, ...namespaceBindings]
  const objects = [...roles.filter(exists(enabled)).map(roleObject(enabled)), ...bindings.filter(exists(enabled)).map(bindingObject)]
  return objects.map((object) => mapTexts(object, resolve) as ApiObject)
}
