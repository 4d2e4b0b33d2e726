import { sanitize } from '../../answers/sanitize.ts'
import { ApiError, forbidden, unsniffed } from '../../answers/status.ts'
import { quote } from '../../schema/go/quote.ts'
import type { Attributes } from './authorizer.ts'

function refusal({ user, verb, isResource, path, group, resource, subresource, namespace }: Attributes): string {
  if (!isResource) return `User ${quote(user.name)} cannot ${verb} path ${quote(path)}`
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`
  return `User ${quote(user.name)} cannot ${verb} resource ${quote(what)} in API group ${quote(group)} ${where}`
}

/** `User "x" cannot list resource "pods" in API group "" in the namespace "default"`, followed by `: reason` if there is one. */
export function forbiddenMessage(attributes: Attributes, reason: string): string {
  const message = sanitize(refusal(attributes))
  return reason === '' ? message : `${message}: ${reason}`
}

/** The 403 of a filter: as `forbiddenError`, and browsers may not guess another content type. */
export function deniedError(attributes: Attributes, reason: string): ApiError {
  return unsniffed(forbiddenError(attributes, reason))
}

/** The 403 of a denied request: `pods "web" is forbidden: User …`. */
export function forbiddenError(attributes: Attributes, reason: string): ApiError {
  const message = forbiddenMessage(attributes, reason)
  if (!attributes.isResource) return new ApiError('Forbidden', `forbidden: ${message}`, {})
  return forbidden(attributes, attributes.name, message)
}
