import { atomicList, bool, field, int64, message, pointer, required, string } from '../../schema/model.ts'

export const ApplyOptions = message('ApplyOptions', 'Query of an apply request.', () => ({
  dryRun: field(1, atomicList(string), 'All runs everything but the write.'),
  force: required(2, bool, 'Takes over fields that other managers own.'),
  fieldManager: required(3, string, 'Name under which fields are owned.'),
})).with({ typeMeta: true })

export const CreateOptions = message('CreateOptions', 'Query of a create request.', () => ({
  dryRun: field(1, atomicList(string), 'All runs everything but the write.'),
  fieldManager: field(3, string, 'Name under which fields are owned; from the user agent by default.'),
  fieldValidation: field(4, string, 'What unknown and duplicate fields cause: Ignore, Warn or Strict.'),
})).with({ typeMeta: true })

export const Preconditions = message('Preconditions', 'Conditions for a deletion.', () => ({
  uid: pointer(1, string, 'UID that the object must have.', { goType: 'types.UID' }),
  resourceVersion: pointer(2, string, 'Version that the object must have.'),
}))

export const DeleteOptions = message('DeleteOptions', 'Query or body of a delete request.', () => ({
  gracePeriodSeconds: pointer(1, int64, "Seconds until the object is removed; 0 at once, the kind's default when absent."),
  preconditions: pointer(2, Preconditions, 'Conditions for the deletion.'),
  orphanDependents: pointer(3, bool, 'Deprecated: true keeps dependent objects; see propagationPolicy.'),
  propagationPolicy: pointer(4, string, 'What happens to dependents: Orphan, Background or Foreground.', {
    goType: 'v1.DeletionPropagation',
    openEnum: ['Orphan', 'Background', 'Foreground'],
  }),
  dryRun: field(5, atomicList(string), 'All runs everything but the deletion.'),
  ignoreStoreReadErrorWithClusterBreakingPotential: pointer(
    6,
    bool,
    'Deletes an object even though its stored data cannot be read; unsafe.',
  ),
})).with({ typeMeta: true })

export const GetOptions = message('GetOptions', 'Query of a get request.', () => ({
  resourceVersion: field(1, string, 'The response is at least as new as this version; 0 for any.'),
})).with({ typeMeta: true })

export const ListOptions = message('ListOptions', 'Query of a list or watch request.', () => ({
  labelSelector: field(1, string, 'Reduces the list of returned objects to those with matching labels.'),
  fieldSelector: field(2, string, 'Reduces the list of returned objects to those with matching fields.'),
  watch: field(3, bool, 'Watch for changes to the described resources instead of getting a list.'),
  allowWatchBookmarks: field(9, bool, 'Lets the server send bookmarks that carry a version only.'),
  resourceVersion: field(4, string, 'Version to list at, or to watch from.'),
  resourceVersionMatch: field(10, string, 'How a list relates to resourceVersion: Exact or NotOlderThan.', {
    goType: 'v1.ResourceVersionMatch',
    openEnum: ['NotOlderThan', 'Exact'],
  }),
  timeoutSeconds: pointer(5, int64, 'Seconds after which the call ends.'),
  limit: field(7, int64, 'Greatest number of items on a page.'),
  continue: field(8, string, 'Token from the previous page.'),
  sendInitialEvents: pointer(11, bool, 'Starts a watch with the present objects and a bookmark after them.'),
  shardSelector: field(15, string, 'Only objects of one shard of the collection.', { gate: 'ShardedListAndWatch' }),
})).with({ typeMeta: true })

export const PatchOptions = message('PatchOptions', 'Query of a patch request.', () => ({
  dryRun: field(1, atomicList(string), 'All runs everything but the write.'),
  force: pointer(2, bool, 'Takes over fields that other managers own; for apply patches only.'),
  fieldManager: field(3, string, 'Name under which fields are owned; from the user agent by default.'),
  fieldValidation: field(4, string, 'What unknown and duplicate fields cause: Ignore, Warn or Strict.'),
})).with({ typeMeta: true })

export const TableOptions = message('TableOptions', 'Query of a request for a table.', () => ({
  includeObject: field(1, string, 'What rows carry: None, Metadata or Object.', {
    goType: 'v1.IncludeObjectPolicy',
    openEnum: ['None', 'Metadata', 'Object'],
  }),
})).with({ typeMeta: true })

export const UpdateOptions = message('UpdateOptions', 'Query of an update request.', () => ({
  dryRun: field(1, atomicList(string), 'All runs everything but the write.'),
  fieldManager: field(2, string, 'Name under which fields are owned; from the user agent by default.'),
  fieldValidation: field(3, string, 'What unknown and duplicate fields cause: Ignore, Warn or Strict.'),
})).with({ typeMeta: true })
