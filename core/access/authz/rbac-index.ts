import { append } from '../../common/lists.ts'
import type { User } from '../../request/exchange.ts'
import type { Attributes } from './authorizer.ts'
import { type HasRules, type PolicyRule, RuleSet } from './rbac-rule.ts'

interface Meta {
  readonly name?: string
  /** Absent or empty: cluster scoped. */
  readonly namespace?: string
}

/** A Role, or without namespace a ClusterRole; an aggregated role has its resolved rules. */
export interface RoleObject extends HasRules {
  readonly metadata: Meta
}

export interface Subject {
  readonly kind: string
  readonly apiGroup?: string
  readonly name: string
  readonly namespace?: string
}

export interface RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

/** A RoleBinding, or without namespace a ClusterRoleBinding. */
export interface BindingObject {
  readonly metadata: Meta
  readonly roleRef: RoleRef
  readonly subjects?: readonly Subject[] | null | undefined
}

/** One role granted to one subject; `bindings` maps the binding's name to the subject as it is written there. */
interface Grant {
  readonly roleRef: RoleRef
  readonly bindings: Map<string, Subject>
}

/** Roles granted to one subject, by kind and name of the role. */
type Grants = Map<string, Grant>

class Scope {
  readonly roles = new Map<string, RuleSet>()
  readonly bindings = new Map<string, BindingObject>()
  /** Users and service accounts, by user name. */
  readonly users = new Map<string, Grants>()
  readonly groups = new Map<string, Grants>()
}

/** Called with each role granted to a user; `rules` is absent when the role does not exist. Returns true to end the visit. */
type Visitor = (rules: RuleSet | undefined, roleRef: RoleRef, namespace: string, bindings: ReadonlyMap<string, Subject>) => boolean

/** Maximum of bindings that wait for the first decision, which reads them all. */
const maxUnread = 1_000

/**
 * Index of roles and bindings by scope and subject: the cost of a decision depends on the number of roles of the user, not on the
 * number of bindings. `followRbac` calls the upsert and remove methods.
 */
export class RbacIndex {
  readonly #scopes = new Map<string, Scope>()
  /** Bindings that no decision has needed yet, by namespace and name: members of `system:masters` need none. */
  readonly #unread = new Map<string, BindingObject>()
  readonly #roleGroup: string

  /** `roleGroup` is the API group of roles, for error texts: `rbac.authorization.<domain>` resolved. */
  constructor(roleGroup: string) {
    this.#roleGroup = roleGroup
  }

  upsertRole(role: RoleObject): void {
    this.#scope(role.metadata.namespace ?? '').roles.set(role.metadata.name ?? '', new RuleSet(role))
  }

  removeRole(namespace: string, name: string): void {
    this.#scopes.get(namespace)?.roles.delete(name)
    this.#forget(namespace)
  }

  upsertBinding(binding: BindingObject): void {
    const { name = '', namespace = '' } = binding.metadata
    this.#unbind(namespace, name)
    this.#unread.set(`${namespace}/${name}`, binding)
    if (this.#unread.size > maxUnread) this.#readAll()
  }

  #readAll(): void {
    for (const binding of this.#unread.values()) this.#bind(binding)
    this.#unread.clear()
  }

  #bind(binding: BindingObject): void {
    const { name = '', namespace = '' } = binding.metadata
    const scope = this.#scope(namespace)
    scope.bindings.set(name, binding)
    const role = roleKey(binding.roleRef)
    for (const subject of binding.subjects ?? []) {
      const at = placeOf(scope, subject, namespace)
      if (at === undefined) continue
      const grants = entry(at.index, at.key, () => new Map<string, Grant>())
      const { bindings } = entry(grants, role, () => ({ roleRef: binding.roleRef, bindings: new Map() }))
      if (!bindings.has(name)) bindings.set(name, subject)
    }
  }

  removeBinding(namespace: string, name: string): void {
    this.#unbind(namespace, name)
    this.#forget(namespace)
  }

  #unbind(namespace: string, name: string): void {
    if (this.#unread.delete(`${namespace}/${name}`)) return
    const scope = this.#scopes.get(namespace)
    const binding = scope?.bindings.get(name)
    if (scope === undefined || binding === undefined) return
    scope.bindings.delete(name)
    const role = roleKey(binding.roleRef)
    for (const subject of binding.subjects ?? []) {
      const at = placeOf(scope, subject, namespace)
      const grants = at?.index.get(at.key)
      const grant = grants?.get(role)
      grant?.bindings.delete(name)
      if (grant?.bindings.size === 0) grants?.delete(role)
      if (at !== undefined && grants?.size === 0) at.index.delete(at.key)
    }
  }

  /** Decides a request: what allowed it (`ClusterRoleBinding "x" of ClusterRole "y" to User "z"`), or the errors on the way. */
  decide(attributes: Attributes): { allowedBy(): string } | { readonly problems: readonly string[] } {
    const combined = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`
    let allowedBy: (() => string) | undefined
    const problems: string[] = []
    // The reason is formatted on demand, because few callers read it.
    this.#visit(attributes.user, attributes.namespace, (rules, roleRef, namespace, bindings) => {
      if (rules === undefined) this.#missing(problems, roleRef)
      else if (rules.allows(attributes, combined)) allowedBy = () => describe(roleRef, namespace, bindings)
      return allowedBy !== undefined
    })
    return allowedBy === undefined ? { problems } : { allowedBy }
  }

  /** All rules of a user in a namespace (empty: at cluster scope), and the errors on the way. */
  rulesFor(user: User, namespace: string): { readonly rules: readonly PolicyRule[]; readonly problems: readonly string[] } {
    const rules: PolicyRule[] = []
    const problems: string[] = []
    this.#visit(user, namespace, (found, roleRef) => {
      if (found === undefined) this.#missing(problems, roleRef)
      else append(rules, found.rules)
      return false
    })
    return { rules, problems }
  }

  /** The rules of the role that a binding in this namespace refers to; undefined when the role does not exist. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#role(roleRef, namespace)?.rules
  }

  #visit(user: User, namespace: string, visitor: Visitor): void {
    if (this.#unread.size > 0) this.#readAll()
    if (!this.#visitScope('', user, visitor) && namespace !== '') this.#visitScope(namespace, user, visitor)
  }

  #visitScope(namespace: string, user: User, visitor: Visitor): boolean {
    const scope = this.#scopes.get(namespace)
    if (scope === undefined) return false
    if (this.#visitGrants(scope.users.get(user.name), namespace, visitor)) return true
    for (const group of user.groups) if (this.#visitGrants(scope.groups.get(group), namespace, visitor)) return true
    return false
  }

  #visitGrants(grants: Grants | undefined, namespace: string, visitor: Visitor): boolean {
    if (grants === undefined) return false
    for (const { roleRef, bindings } of grants.values()) {
      if (visitor(this.#role(roleRef, namespace), roleRef, namespace, bindings)) return true
    }
    return false
  }

  #role(roleRef: RoleRef, namespace: string): RuleSet | undefined {
    if (roleRef.kind === 'ClusterRole') return this.#scopes.get('')?.roles.get(roleRef.name)
    // A ClusterRoleBinding can't refer to a Role.
    return roleRef.kind === 'Role' && namespace !== '' ? this.#scopes.get(namespace)?.roles.get(roleRef.name) : undefined
  }

  #missing(problems: string[], { kind, name }: RoleRef): void {
    const problem = `${kind.toLowerCase()}.${this.#roleGroup} ${JSON.stringify(name)} not found`
    if (!problems.includes(problem)) problems.push(problem)
  }

  #forget(namespace: string): void {
    const scope = this.#scopes.get(namespace)
    if (scope?.roles.size === 0 && scope.bindings.size === 0) this.#scopes.delete(namespace)
  }

  #scope(namespace: string): Scope {
    return entry(this.#scopes, namespace, () => new Scope())
  }
}

/** The value of a key, created when it is missing. */
function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

const roleKey = ({ kind, name }: RoleRef) => `${kind}/${name}`

/** The index entry of a subject; undefined when the subject can't match any user. */
function placeOf(scope: Scope, subject: Subject, namespace: string): { index: Map<string, Grants>; key: string } | undefined {
  switch (subject.kind) {
    case 'User':
      return { index: scope.users, key: subject.name }
    case 'Group':
      return { index: scope.groups, key: subject.name }
    case 'ServiceAccount': {
      const home = subject.namespace || namespace
      return home === '' ? undefined : { index: scope.users, key: `system:serviceaccount:${home}:${subject.name}` }
    }
    default:
      return undefined
  }
}

function describe(roleRef: RoleRef, namespace: string, bindings: ReadonlyMap<string, Subject>): string {
  const quote = (text: string) => JSON.stringify(text)
  const [[name, subject] = ['', { kind: '', name: '' }]] = bindings
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name
  const binding = namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`
  return `${binding} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(who)}`
}
