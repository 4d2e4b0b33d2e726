import { field, list, message, required } from '../../../schema/model.ts'
import { ListMeta } from '../listmeta.ts'
import { PartialObjectMetadata } from '../partial.ts'

export const PartialObjectMetadataList = message('PartialObjectMetadataList', 'A list of objects, reduced to their metadata.', () => ({
  metadata: field(2, ListMeta, 'Version and paging of the list.'),
  items: required(1, list(PartialObjectMetadata), 'The objects.'),
})).with({ typeMeta: true })
