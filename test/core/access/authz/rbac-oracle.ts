import type { Attributes } from '../../../../core/access/authz/authorizer.ts'
import type { BindingObject, RoleObject } from '../../../../core/access/authz/rbac-index.ts'

/** A plain implementation of RBAC: loops over every binding, subject and rule. */
export function allowedByRbac(attributes: Attributes, roles: Iterable<RoleObject>, bindings: Iterable<BindingObject>): boolean {
  const { user, verb, group, resource, subresource, name, namespace, path, isResource } = attributes
  const all = [...roles]
  for (const { metadata, roleRef, subjects } of bindings) {
    const home = metadata.namespace ?? ''
    if (home !== '' && home !== namespace) continue
    const applies = (subjects ?? []).some((subject) => {
      if (subject.kind === 'User') return subject.name === user.name
      if (subject.kind === 'Group') return user.groups.includes(subject.name)
      const account = `system:serviceaccount:${subject.namespace || home}:${subject.name}`
      return subject.kind === 'ServiceAccount' && (subject.namespace || home) !== '' && user.name === account
    })
    if (!applies) continue
    const place = roleRef.kind === 'ClusterRole' ? '' : home
    if (roleRef.kind === 'Role' && home === '') continue
    const role = all.find((each) => each.metadata.name === roleRef.name && (each.metadata.namespace ?? '') === place)
    for (const rule of role?.rules ?? []) {
      const has = (list: readonly string[] | null | undefined, item: string) => (list ?? []).some((each) => each === '*' || each === item)
      if (!has(rule.verbs, verb)) continue
      if (!isResource) {
        if ((rule.nonResourceURLs ?? []).some((url) => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))))
          return true
        continue
      }
      const combined = subresource === '' ? resource : `${resource}/${subresource}`
      const about = has(rule.resources, combined) || (subresource !== '' && (rule.resources ?? []).includes(`*/${subresource}`))
      const named = (rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(name)
      if (about && named && has(rule.apiGroups, group)) return true
    }
  }
  return false
}
