import { any, field, int64, list, message, pointer, required, string } from '../../schema/model.ts'

export const ShardInfo = message('ShardInfo', 'The part of a collection that a list was limited to.', () => ({
  selector: required(1, string, 'The shard selector of the request.'),
}))

export const ListMeta = message('ListMeta', 'Metadata of a list.', () => ({
  selfLink: field(1, string, 'No longer set.'),
  resourceVersion: field(2, string, 'Version of the collection; opaque, for watches and later lists.'),
  continue: field(3, string, 'Token that fetches the next page; empty on the last.'),
  remainingItemCount: pointer(4, int64, 'Number of items after this page, if known; an estimate.'),
  shardInfo: pointer(5, ShardInfo, 'Shard that the list was limited to.', { gate: 'ShardedListAndWatch' }),
}))

export const List = message('List', 'A list of objects of any kind.', () => ({
  metadata: field(1, ListMeta, 'Version and paging of the list.'),
  items: required(2, list(any), 'The objects.'),
})).with({ typeMeta: true })
