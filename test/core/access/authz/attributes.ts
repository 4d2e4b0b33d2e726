import type { Attributes } from '../../../../core/access/authz/authorizer.ts'

const none = { group: '', version: '', resource: '', subresource: '', name: '', namespace: '', path: '' }

/** Attributes of a request for a resource: `pods`, `pods/log` or `deployments.apps/scale`. */
export function onResource(who: string, verb: string, what: string, namespace = '', name = ''): Attributes {
  const [qualified = '', subresource = ''] = what.split('/')
  const dot = qualified.indexOf('.')
  const resource = dot < 0 ? qualified : qualified.slice(0, dot)
  const group = dot < 0 ? '' : qualified.slice(dot + 1)
  return { ...none, user: userOf(who), verb, isResource: true, group, version: 'v1', resource, subresource, name, namespace }
}

export const onPath = (who: string, verb: string, path: string): Attributes => ({
  ...none,
  user: userOf(who),
  verb,
  isResource: false,
  path,
})

/** `name` or `name+group+group`. */
export function userOf(who: string) {
  const [name = '', ...groups] = who.split('+')
  return { name, groups }
}
