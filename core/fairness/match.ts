/** Whether rules of flow schemas match requests and users (apiserver/pkg/util/flowcontrol/rule.go). */
import type { RequestInfo, User } from '../request/exchange.ts'
import type { NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule, Subject } from '../resources/flowcontrol/flowschema.ts'
import type { Infer } from '../schema/model.ts'

export type Rules = Infer<typeof PolicyRulesWithSubjects>
export type ResourceRule = Infer<typeof ResourcePolicyRule>
export type NonResourceRule = Infer<typeof NonResourcePolicyRule>
type Texts = readonly string[] | null | undefined

const isAll = (list: Texts) => list?.length === 1 && list[0] === '*'

/** A wildcard counts only alone; validation sees to that. */
const has = (list: Texts, text: string) => list != null && (isAll(list) || list.includes(text))

const accountPrefix = 'system:serviceaccount:'

function isAccount(user: string, namespace: string, name: string): boolean {
  const start = `${accountPrefix}${namespace}:`
  if (name === '*') return user.startsWith(start)
  return user.length === start.length + name.length && user.startsWith(start) && user.endsWith(name)
}

export function matchesSubject({ kind, user, group, serviceAccount }: Infer<typeof Subject>, { name, groups }: User): boolean {
  if (kind === 'User') return user !== undefined && (user.name === '*' || user.name === name)
  if (kind === 'Group') return group !== undefined && (group.name === '*' || groups.includes(group.name))
  return kind === 'ServiceAccount' && serviceAccount !== undefined && isAccount(name, serviceAccount.namespace, serviceAccount.name)
}

/** Whether the rule matches every resource request. */
export const matchesAllResources = ({ verbs, apiGroups, resources, clusterScope, namespaces }: ResourceRule): boolean =>
  clusterScope === true && [verbs, apiGroups, resources, namespaces].every(isAll)

/** Whether the rule matches every other request. */
export const matchesAllPaths = ({ verbs, nonResourceURLs }: NonResourceRule): boolean => isAll(verbs) && has(nonResourceURLs, '*')

export function matchesResource(rule: ResourceRule, { verb, group, resource, subresource, namespace }: RequestInfo): boolean {
  if (!has(rule.verbs, verb) || !has(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`)) return false
  if (!has(rule.apiGroups, group)) return false
  return namespace === '' ? rule.clusterScope === true : has(rule.namespaces, namespace)
}

/** A path matches itself and everything below it, with or without a wildcard at the end of the rule. */
function matchesPath(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true
  const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

export const matchesNonResource = ({ verbs, nonResourceURLs }: NonResourceRule, { verb, path }: RequestInfo): boolean =>
  has(verbs, verb) && (nonResourceURLs?.some((pattern) => matchesPath(pattern, path)) ?? false)
