import { field, list, type Message, message, required } from '../schema/model.ts'
import type { ResourceDefinition } from './definition.ts'
import { ListMeta } from './meta/listmeta.ts'

/** Schema of a list of this resource, such as `PodList`. */
export function listSchemaOf(definition: ResourceDefinition): Message {
  return message(definition.listKind, `A list of ${definition.kind} objects.`, {
    metadata: field(1, ListMeta, 'Version and paging of the list.'),
    items: required(2, list(definition.schema), `List of ${definition.names.plural}.`),
  }).with({ typeMeta: true })
}
