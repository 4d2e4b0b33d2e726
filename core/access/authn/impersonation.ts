import type { ApiError } from '../../answers/status.ts'
import type { Platform } from '../../platform.ts'
import type { Context } from '../../ports.ts'
import type { User } from '../../request/exchange.ts'
import type { Attributes, Authorizer } from '../authz/authorizer.ts'
import { deniedError } from '../authz/forbidden.ts'
import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from './groups.ts'
import { parseNodeName, parseServiceAccountName, serviceAccountGroups } from './names.ts'

/** One permission that is needed: either the wildcard, or each of the others. */
export interface ImpersonationCheck {
  readonly wildcard?: Attributes
  readonly each: readonly Attributes[]
  readonly refusal?: string
}

/** One way to be allowed to impersonate (KEP-5284): all of its checks must pass. */
export interface ImpersonationMode {
  /** The verb that allowed it, for the audit log; empty for the original mode. */
  readonly constraint: string
  readonly checks: readonly ImpersonationCheck[]
  /** The user that the request then runs as. */
  readonly user: User
}

/** From this many groups or extra values on, a single check for all of them is tried first. */
const minForWildcard = 4

interface ModeRow {
  readonly name: string
  readonly applies: (wanted: User, requestor: User, platform: Platform) => boolean
}

const onlyName = ({ uid, groups, extra }: User) => uid === undefined && groups.length === 0 && extra === undefined

/** The node that the caller's service account token was issued for. */
function nodeOfRequestor({ name, extra }: User, platform: Platform): string | undefined {
  const nodes = parseServiceAccountName(name) && extra?.[platform.name('authentication.<labels>/node-name')]
  return nodes?.length === 1 ? nodes[0] : undefined
}

/** Constrained modes, in the order in which they are tried. Each needs `impersonate-on:MODE:VERB` and `impersonate:MODE`. */
const modeRows: readonly ModeRow[] = [
  {
    name: 'associated-node',
    applies: (wanted, requestor, platform) => {
      const node = parseNodeName(wanted.name)
      return onlyName(wanted) && node !== undefined && nodeOfRequestor(requestor, platform) === node
    },
  },
  { name: 'arbitrary-node', applies: (wanted) => onlyName(wanted) && parseNodeName(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => onlyName(wanted) && parseServiceAccountName(wanted.name) !== undefined },
  { name: 'user-info', applies: ({ name }) => parseNodeName(name) === undefined && parseServiceAccountName(name) === undefined },
]

/**
 * The ways in which a request (`attributes`, with its caller as user) may impersonate `wanted`, in the order in which they are tried.
 * The original mode (verb `impersonate`) comes last, and is the only one unless `constrained`.
 */
export function impersonationModes(wanted: User, attributes: Attributes, platform: Platform, constrained = true): ImpersonationMode[] {
  const modes = modeRows
    .filter(({ applies }) => constrained && applies(wanted, attributes.user, platform))
    .map(({ name }): ImpersonationMode => {
      const verb = `impersonate:${name}`
      const associated = name === 'associated-node'
      const asked = associated ? { ...attributes, user: withoutExtraValues(attributes.user, platform) } : attributes
      const checked = { ...asked, verb: `impersonate-on:${name}:${attributes.verb}` }
      const checks = [{ each: [checked] }, ...detailChecks(wanted, asked.user, verb, true, platform, associated)]
      const isNode = parseNodeName(wanted.name) !== undefined
      return { constraint: verb, checks, user: completed(isNode ? { ...wanted, groups: ['system:nodes'] } : wanted) }
    })
  const original = detailChecks(wanted, attributes.user, 'impersonate', false, platform, false)
  return [...modes, { constraint: '', checks: original, user: completed(wanted) }]
}

/** A user with its extra reduced to keys: equal for the same service account on every node, because only the values name the node. */
function withoutExtraValues(user: User, platform: Platform): User {
  return { ...user, extra: { [platform.name('authentication.<labels>/associated-node-keys')]: Object.keys(user.extra ?? {}).sort() } }
}

function detailChecks(wanted: User, requestor: User, verb: string, constrained: boolean, platform: Platform, anyNode: boolean) {
  const check = (resource: string, name: string, more: Partial<Attributes> = {}): Attributes => ({
    user: requestor,
    verb,
    isResource: true,
    path: '',
    group: platform.name('authentication.<domain>'),
    version: 'v1',
    resource,
    subresource: '',
    name,
    namespace: '',
    ...more,
  })
  // The original mode checks users, groups and service accounts in the core group.
  const core = constrained ? {} : { group: '' }
  const { groups, uid, extra } = wanted
  const extras = Object.entries(extra ?? {}).flatMap(([key, values]) =>
    values.map((value) => check('userextras', value, { subresource: key })),
  )
  const node = constrained ? parseNodeName(wanted.name) : undefined
  const account = parseServiceAccountName(wanted.name)

  const who =
    account !== undefined
      ? check('serviceaccounts', account.name, { namespace: account.namespace, ...core })
      : node !== undefined
        ? check('nodes', anyNode ? '*' : node, core)
        : check('users', wanted.name, core)
  const checks: ImpersonationCheck[] = [{ each: [who] }]
  if (uid !== undefined) checks.push({ each: [check('uids', uid)] })
  if (groups.length > 0) checks.push(groupCheck(groups, (group) => check('groups', group, core), constrained))
  if (extra !== undefined) checks.push(extraCheck(extra, extras, check('userextras', ''), constrained))
  return checks
}

function groupCheck(groups: readonly string[], check: (group: string) => Attributes, constrained: boolean): ImpersonationCheck {
  if (constrained && groups.includes('')) return { each: [check('')], refusal: 'impersonating the empty string group is not allowed' }
  if (constrained && groups.includes('system:masters')) {
    return { each: [check('system:masters')], refusal: 'impersonating the system:masters group is not allowed' }
  }
  return { each: groups.map(check), ...(constrained && groups.length >= minForWildcard && { wildcard: check('*') }) }
}

function extraCheck(
  extra: NonNullable<User['extra']>,
  each: readonly Attributes[],
  general: Attributes,
  constrained: boolean,
): ImpersonationCheck {
  if (!constrained) return { each }
  for (const [key, values] of Object.entries(extra)) {
    const refusal = problemOfExtra(key, values)
    if (refusal !== undefined) return { each: [general], refusal }
  }
  const wildcard = { ...general, subresource: '*', name: '*' }
  return { each, ...((each.length >= minForWildcard || Object.keys(extra).length >= minForWildcard) && { wildcard }) }
}

const domainPrefixedPath = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/

function problemOfExtra(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed'
  if (!domainPrefixedPath.test(key)) {
    const rule = 'must be a domain-prefixed path (such as "acme.io/foo")'
    return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${JSON.stringify(key)}: ${rule}`
  }
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`
  if (values.length === 0) return 'impersonating empty values in extra is not allowed'
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined
}

/** Adds the groups that every service account and every user has. */
function completed(wanted: User): User {
  const account = parseServiceAccountName(wanted.name)
  const groups = account !== undefined && wanted.groups.length === 0 ? serviceAccountGroups(account.namespace) : wanted.groups
  const group = wanted.name === anonymousUser ? unauthenticatedGroup : authenticatedGroup
  const settled = groups.includes(group) || (group === authenticatedGroup && groups.includes(unauthenticatedGroup))
  return { ...wanted, groups: settled ? groups : [...groups, group] }
}

/**
 * Asks the authorizer about the modes in order; the first that passes is used. Rejects with the first denial, an ApiError 403, when none is
 * allowed.
 */
export async function authorizeImpersonation(
  modes: readonly ImpersonationMode[],
  authorizer: Pick<Authorizer, 'authorize'>,
  context: Context | undefined,
): Promise<ImpersonationMode> {
  let first: ApiError | undefined
  for (const mode of modes) {
    const refused = await firstRefusal(mode.checks, authorizer, context)
    if (refused === undefined) return mode
    first ??= refused
  }
  throw first ?? new Error('no impersonation mode applies')
}

async function firstRefusal(
  checks: readonly ImpersonationCheck[],
  authorizer: Pick<Authorizer, 'authorize'>,
  context: Context | undefined,
): Promise<ApiError | undefined> {
  for (const { wildcard, each, refusal } of checks) {
    if (refusal === undefined && wildcard !== undefined && (await authorizer.authorize(wildcard, context)).verdict === 'allow') continue
    for (const attributes of each) {
      if (refusal !== undefined) return deniedError(attributes, refusal)
      const { verdict, reason } = await authorizer.authorize(attributes, context)
      if (verdict !== 'allow') return deniedError(attributes, reason)
    }
  }
  return undefined
}
