import { type ApiError, forbidden } from '../../answers/status.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { equal } from '../../schema/json/equal.ts'
import type { Json } from '../../schema/model.ts'
import type { AdmissionAttributes } from '../attributes.ts'

/** Whether a write is for this resource (`group` without placeholders) and subresource. */
export const isAbout = (attributes: AdmissionAttributes, resource: string, group = '', subresource = '') => {
  const { groupResource } = attributes
  return groupResource.resource === resource && groupResource.group === group && attributes.subresource === subresource
}

/** The object's spec, created if missing; the caller chooses its type. */
export function specOf<T extends object>(object: ApiObject): T {
  object['spec'] ??= {}
  return object['spec'] as T
}

/** A 403 that names the object by name, generateName or `Unknown` (admission.NewForbidden). */
export function refusal({ groupResource, name, object }: AdmissionAttributes, why: string): ApiError {
  const { name: own, generateName } = object?.metadata ?? {}
  return forbidden(groupResource, name || own || generateName || 'Unknown', why)
}

/** Whether an update changes only owner references and finalizers, which the garbage collector needs. */
export function onlyOwnership(object: ApiObject, old: ApiObject): boolean {
  const rest = ({ metadata, ...content }: ApiObject) => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...others } = metadata
    return { ...content, metadata: others } as unknown as Json
  }
  return equal(rest(object), rest(old))
}
