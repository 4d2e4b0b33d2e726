import type { ApiObject } from '../../resources/definition.ts'
import type { AdmissionAttributes } from '../attributes.ts'

/** Whether a write is about a resource of this group (its name, without placeholders), and this side of it. */
export const isAbout = ({ on, subresource }: AdmissionAttributes, resource: string, group = '', side = '') =>
  on.resource === resource && on.group === group && subresource === side

/** The object's spec, which is made when there is none; the caller says what it looks like. */
export function specOf<T extends object>(object: ApiObject): T {
  object['spec'] ??= {}
  return object['spec'] as T
}
