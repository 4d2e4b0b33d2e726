import { field, list, message, required } from '../../schema/model.ts'
import { ListMeta } from './listmeta.ts'
import { object } from './object.ts'

export const PartialObjectMetadata = object('PartialObjectMetadata', 'An object of any kind, reduced to its metadata.', {})

export const PartialObjectMetadataList = message('PartialObjectMetadataList', 'A list of objects, reduced to their metadata.', () => ({
  metadata: field(1, ListMeta, 'Version and paging of the list.'),
  items: required(2, list(PartialObjectMetadata), 'The objects.'),
})).with({ typeMeta: true })
