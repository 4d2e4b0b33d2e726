import { badRequest } from '../answers/status.ts'
import type { ApiObject } from '../resources/definition.ts'
import { formats } from '../schema/formats/formats.ts'
import { quote } from '../schema/go/quote.ts'
import { drop } from '../schema/json/members.ts'
import type { Target } from './services.ts'

/** Names that no object can have; the path contains them after decoding. */
const unusual = /^\.\.?$|%/

/** Throws 400 for a name in the path that can't be part of a key. */
export function checkName({ name }: Pick<Target, 'name'>): void {
  if (unusual.test(name)) throw badRequest(`Name parameter invalid: ${quote(name)}: ${formats.pathSegment(name).join(';')}`)
}

/** The URL must name the object. */
export function requireName({ name }: Target): void {
  if (name === '') throw badRequest('name must be provided')
}

/** 400 for an object without a name in its body. */
export const nameUndeterminable = ({ name }: Pick<Target, 'name'>) =>
  badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)

function validateBodyName({ name }: Target, { metadata }: ApiObject): void {
  if (!metadata.name) throw nameUndeterminable({ name })
  if (metadata.name !== name) throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`)
}

/** The object's namespace is that of the URL; an object without one gets it. Throws 400 (rest.EnsureObjectNamespaceMatchesRequestNamespace). */
export function requireNamespace({ resource, namespace }: Pick<Target, 'resource' | 'namespace'>, { metadata }: ApiObject): void {
  if (!resource.definition.namespaced) {
    delete metadata.namespace
    return
  }
  metadata.namespace ||= namespace
  if (metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}

/** Name and namespace of the body must match the URL. */
export function validateIdentity(target: Target, body: ApiObject): void {
  validateBodyName(target, body)
  requireNamespace(target, body)
}

/** As `validateIdentity`, for the result of a patch: errors come in the other order. */
export function validatePatchedIdentity(target: Target, result: ApiObject): void {
  requireNamespace(target, result)
  validateBodyName(target, result)
}

/** Only the server sets these: a value in the body has no manager, and admission does not see it. */
export function dropSystemMetadata({ metadata }: ApiObject): void {
  drop(metadata, 'uid')
  drop(metadata, 'creationTimestamp')
  drop(metadata, 'deletionTimestamp')
  drop(metadata, 'deletionGracePeriodSeconds')
  drop(metadata, 'selfLink')
}
