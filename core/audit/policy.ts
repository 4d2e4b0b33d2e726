/** Which requests are recorded, and how much of them (apiserver, pkg/audit/policy). */

import type { RequestInfo, User } from '../request/exchange.ts'
import type { AuditPolicy } from './file/audit-policy.ts'

/** Each level records what the earlier ones do, and more. */
export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type Level = (typeof levels)[number]

export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type Stage = (typeof stages)[number]

/** The first rule that matches a request decides; without one it is not recorded. An empty list of a rule matches every request. */
export type { AuditPolicy }
export type PolicyRule = AuditPolicy['rules'][number]
type GroupResources = PolicyRule['resources'][number]

/** How a request is recorded. */
export interface RecordedParts {
  readonly level: Exclude<Level, 'None'>
  readonly request: boolean
  readonly response: boolean
  readonly omitsManagedFields: boolean
  readonly omitted: ReadonlySet<string>
}

/** How the request of this user is recorded; undefined: not at all. `user` is absent before authentication. */
export type Evaluate = (info: RequestInfo, user: User | undefined) => RecordedParts | undefined

type Matches = (info: RequestInfo, user: User | undefined) => boolean

/** `*` at the end stands for any text. */
function matchesPath(path: string, pattern: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
}

function matchesName(pattern: string, { resource, subresource }: RequestInfo): boolean {
  if (pattern === '*') return true
  if (pattern.endsWith('/*') && pattern.slice(0, -2) === resource) return true
  if (subresource === '') return pattern === resource
  return pattern === `${resource}/${subresource}` || (pattern.startsWith('*/') && pattern.slice(2) === subresource)
}

function matchesResources({ group, resources, resourceNames }: GroupResources, info: RequestInfo): boolean {
  if (group !== '*' && group !== info.group) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false
  return resources.some((pattern) => matchesName(pattern, info))
}

/** The lists of a rule that are not empty, as tests. */
function testsOf({ users, userGroups, verbs, resources, namespaces, nonResourceURLs }: PolicyRule): Matches[] {
  const tests: Matches[] = []
  if (users.length > 0) tests.push((_info, user) => user !== undefined && users.includes(user.name))
  if (userGroups.length > 0) tests.push((_info, user) => user?.groups.some((group) => userGroups.includes(group)) ?? false)
  if (verbs.length > 0) tests.push(({ verb }) => verbs.includes(verb))
  if (namespaces.length > 0) tests.push(({ isResource, namespace }) => isResource && namespaces.includes(namespace))
  if (resources.length > 0) tests.push((info) => info.isResource && resources.some((each) => matchesResources(each, info)))
  if (nonResourceURLs.length > 0)
    tests.push(({ isResource, path }) => !isResource && nonResourceURLs.some((pattern) => matchesPath(path, pattern)))
  return tests
}

function partsOf({ level, ...rule }: PolicyRule, policy: AuditPolicy): RecordedParts | undefined {
  const rank = levels.indexOf(level as Level)
  if (rank <= levels.indexOf('None')) return undefined
  return {
    level: level as RecordedParts['level'],
    request: rank >= levels.indexOf('Request'),
    response: rank >= levels.indexOf('RequestResponse'),
    omitsManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
    omitted: new Set([...policy.omitStages, ...rule.omitStages]),
  }
}

/** Compiles a valid policy. */
export function compilePolicy(policy: AuditPolicy): Evaluate {
  const rules = policy.rules.map((rule) => ({ tests: testsOf(rule), parts: partsOf(rule, policy) }))
  return (info, user) => rules.find(({ tests }) => tests.every((matches) => matches(info, user)))?.parts
}
