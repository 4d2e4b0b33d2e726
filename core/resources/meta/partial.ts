import { field, list, message, required } from '../../schema/model.ts'
import { ListMeta } from './listmeta.ts'
import { ObjectMeta } from './objectmeta.ts'

export const PartialObjectMetadata = message(
  'PartialObjectMetadata',
  'An object of any kind, reduced to its metadata.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
  },
  { typeMeta: true },
)

export const PartialObjectMetadataList = message(
  'PartialObjectMetadataList',
  'A list of objects, reduced to their metadata.',
  {
    metadata: field(1, ListMeta, 'Version and paging of the list.'),
    items: required(2, list(PartialObjectMetadata), 'The objects.'),
  },
  { typeMeta: true },
)
