/** Stored objects that requests are about. */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { collectionPath, minimalObject } from '../../support/minimal-objects.ts'
import { type Call, send } from '../exchange.ts'

/** The account that pods of the namespace use, which a controller would make. */
export const account: Call = send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } })

const merge = { 'content-type': 'application/merge-patch+json' }

export const objectOf = (definition: ResourceDefinition, name: string) => minimalObject(definition, name) as JsonObject

/** The kind's minimal object, which has no effect on objects of other kinds: scenes run at the same time. */
export function harmlessObjectOf(definition: ResourceDefinition, name: string): JsonObject {
  const object = objectOf(definition, name)
  return definition.kind === 'LimitRange' ? { ...object, spec: { limits: [{ type: 'example.com/nothing', max: { cpu: '1' } }] } } : object
}

export const nameOf = (object: JsonObject) => (object['metadata'] as { name: string }).name

/** Path of an object. */
export const pathOf = (definition: ResourceDefinition, object: JsonObject) => `${collectionPath(definition)}/${nameOf(object)}`

/** Creates the kind's minimal object with this name, after what an interrupted run may have left. */
export const makes = (definition: ResourceDefinition, name: string): readonly Call[] => [
  ...removes(definition, name),
  send('POST', collectionPath(definition), objectOf(definition, name)),
]

/** Removes it whatever its finalizers. A namespace stays, because only a controller could remove it. */
export function removes(definition: ResourceDefinition, name: string): readonly Call[] {
  if (definition.specFinalizers) return []
  const path = pathOf(definition, objectOf(definition, name))
  return [
    { method: 'DELETE', path: `${path}?gracePeriodSeconds=0&propagationPolicy=Background` },
    send('PATCH', path, { metadata: { finalizers: null } }, merge),
  ]
}

/** Whether objects of the kind may have any name. */
export const isNamedFreely = (definition: ResourceDefinition) => nameOf(objectOf(definition, 'any')) === 'any'
