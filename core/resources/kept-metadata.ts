import type { ApiObject } from './definition.ts'

/** Metadata after a write through a subresource: unchanged except for managedFields. */
export function keptMetadata(existing: ApiObject, incoming: ApiObject): ApiObject['metadata'] {
  const { managedFields: _managedFields, ...metadata } = existing.metadata
  const { managedFields } = incoming.metadata
  return { ...metadata, ...(managedFields && { managedFields }) }
}
