import type { ApiObject } from './definition.ts'

/** Metadata of a write through a side of the object: all stays but the record of who wrote what. */
export function keptMetadata(existing: ApiObject, incoming: ApiObject): ApiObject['metadata'] {
  const { managedFields: _managedFields, ...metadata } = existing.metadata
  const { managedFields } = incoming.metadata
  return { ...metadata, ...(managedFields && { managedFields }) }
}
