import {
  type AnySchema,
  any,
  atomicList,
  bool,
  field,
  int64,
  keyedList,
  list,
  map,
  message,
  pointer,
  required,
  string,
  time,
} from '../../schema/model.ts'

export const OwnerReference = message('OwnerReference', 'Points at an object that owns another one.', () => ({
  apiVersion: required(5, string, 'Group and version of the owner.'),
  kind: required(1, string, 'Kind of the owner.'),
  name: required(3, string, 'Name of the owner.'),
  uid: required(4, string, 'UID of the owner.', { goType: 'types.UID' }),
  controller: pointer(6, bool, 'True for the one owner that manages the object.'),
  blockOwnerDeletion: pointer(7, bool, 'True delays a foreground deletion of the owner until this object is gone.'),
})).with({ atomic: true, versioned: true })

const fields: AnySchema = { ...any, model: { path: 'apimachinery.pkg.apis.meta.v1.FieldsV1', object: true } }

export const ManagedFieldsEntry = message('ManagedFieldsEntry', 'The fields that one manager has set.', () => ({
  manager: field(1, string, 'Name of the manager.'),
  operation: field(2, string, 'How they were set: Apply or Update.', {
    goType: 'v1.ManagedFieldsOperationType',
    openEnum: ['Apply', 'Update'],
  }),
  apiVersion: field(3, string, 'Version in which the fields are named.'),
  time: pointer(4, time, 'When the entry was last changed.'),
  fieldsType: field(6, string, 'Format of the fields; always FieldsV1.'),
  fieldsV1: pointer(7, fields, 'The fields, as a trie of names.'),
  subresource: field(8, string, 'Subresource through which they were set; empty for the object itself.'),
}))

export const ObjectMeta = message('ObjectMeta', 'Metadata that every stored object carries.', () => ({
  name: field(1, string, 'Name, unique among objects of its kind in the namespace; cannot be changed.'),
  generateName: field(2, string, 'Start of a name that the server completes when no name is given.'),
  namespace: field(3, string, 'Namespace of the object; empty for cluster-wide kinds.'),
  selfLink: field(4, string, 'No longer set.'),
  uid: field(5, string, 'Unique in time and space; set by the server.', { goType: 'types.UID' }),
  resourceVersion: field(6, string, 'Opaque version of the object; on updates it must be the present one if given.'),
  generation: field(7, int64, 'Counts changes of the desired state; set by the server.'),
  creationTimestamp: field(8, time, 'CreationTimestamp is a timestamp: when the server created the object.', { omitZero: true }),
  deletionTimestamp: pointer(9, time, 'When the object will be, or should have been, removed; set by a graceful deletion.'),
  deletionGracePeriodSeconds: pointer(10, int64, 'Seconds granted for a graceful deletion; can only be shortened.'),
  labels: field(11, map(string), 'Keys and values by which objects are selected.'),
  annotations: field(12, map(string), 'Keys and values that tools attach; cannot be selected.'),
  ownerReferences: keyedList(13, OwnerReference, 'uid', 'Owners of this object; it is garbage collected when all are deleted.'),
  finalizers: field(14, list(string, { listType: 'set' }), 'Parties that must act before the object is removed.', {
    patchStrategy: 'merge',
  }),
  managedFields: field(17, atomicList(ManagedFieldsEntry), 'Which manager set which fields.'),
}))
