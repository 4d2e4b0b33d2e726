/** Maps ownership of the replicas between an object and its scale, where they are `spec.replicas` of autoscaling/v1. */
import type { Json } from '../schema/model.ts'
import { type Element, fieldElement } from './element.ts'
import { difference, fieldSet, has } from './field-set.ts'
import { decodeManagers, encodeManagers, identityOf, type Manager } from './managers.ts'

const scaleVersion = 'autoscaling/v1'
const scaleFields = fieldSet(['spec', 'replicas'])
const scalePath = ['f:spec', 'f:replicas']

/** Path of the replicas in a version of the parent, such as `.spec.replicas`; undefined: no such version, or no scale subresource. */
export type ReplicasPath = (apiVersion: string) => string | undefined

const names = (path: string) => path.split('.').filter((name) => name !== '')
const elements = (path: string): Element[] => names(path).map(fieldElement)

/** The managedFields of the scale: managers of the replicas. Throws an Error for invalid entries. */
export function scaleEntries(parent: readonly Json[] | undefined, pathIn: ReplicasPath): Json[] | undefined {
  const managers = new Map<string, Manager>()
  for (const [identity, manager] of decodeManagers(parent)) {
    const path = pathIn(manager.apiVersion)
    if (path !== undefined && has(manager.fields, elements(path)))
      managers.set(identity, { ...manager, apiVersion: scaleVersion, fields: scaleFields })
  }
  return encodeManagers(managers)
}

/** Identity of a manager without its version. */
const sameAs = (manager: Manager) => identityOf({ ...manager, apiVersion: '' })

/** The parent's managedFields after a write to its scale: only managers in the scale's entries own the replicas. */
export function parentEntries(
  parent: readonly Json[] | undefined,
  scale: readonly Json[] | undefined,
  apiVersion: string,
  pathIn: ReplicasPath,
): Json[] | undefined {
  const owners = new Map<string, Manager>()
  for (const manager of decodeManagers(scale).values()) if (has(manager.fields, scalePath)) owners.set(sameAs(manager), manager)
  const managers = new Map<string, Manager>()
  for (const [identity, manager] of decodeManagers(parent)) {
    const left = afterScale(manager, owners, pathIn)
    if (left !== undefined) managers.set(identity, left)
  }
  const own = names(pathIn(apiVersion) ?? '')
  for (const manager of owners.values()) {
    const added: Manager = { ...manager, apiVersion, fields: fieldSet(own), time: undefined }
    managers.set(identityOf(added), added)
  }
  return encodeManagers(managers)
}

/** The parent's manager after the write; undefined when it owns nothing any more. A manager found in `owners` is removed from there. */
function afterScale(manager: Manager, owners: Map<string, Manager>, pathIn: ReplicasPath): Manager | undefined {
  const path = pathIn(manager.apiVersion)
  if (path === undefined || !has(manager.fields, elements(path))) return manager
  if (owners.delete(sameAs(manager))) return manager
  const fields = difference(manager.fields, fieldSet(names(path)))
  return fields.length > 0 ? { ...manager, fields } : undefined
}
