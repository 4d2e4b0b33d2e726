import { field, message, pointer, required, string } from '../../schema/model.ts'

export const ObjectReference = message('ObjectReference', 'Points at an object or a part of one.', () => ({
  kind: field(1, string, 'Kind of the object.'),
  namespace: field(2, string, 'Namespace of the object.'),
  name: field(3, string, 'Name of the object.'),
  uid: field(4, string, 'UID of the object.', { goType: 'types.UID' }),
  apiVersion: field(5, string, 'Group and version of the object.'),
  resourceVersion: field(6, string, 'Version of the referenced object.'),
  fieldPath: field(7, string, 'Part of the object, such as spec.containers{name}.'),
})).with({ atomic: true })

export const SecretReference = message('SecretReference', 'Points at a secret.', () => ({
  name: field(1, string, 'Name of the secret.'),
  namespace: field(2, string, 'Namespace of the secret.'),
})).with({ atomic: true })

export const LocalObjectReference = message('LocalObjectReference', 'Points at an object in the same namespace.', () => ({
  name: field(1, string, 'Name of the object.', { default: '' }),
})).with({ atomic: true })

export const TypedLocalObjectReference = message(
  'TypedLocalObjectReference',
  'Points at an object of any kind in the same namespace.',
  () => ({
    apiGroup: pointer(1, string, 'Group of the object; absent for the core group.', { omitEmpty: false }),
    kind: required(2, string, 'Kind of the object.'),
    name: required(3, string, 'Name of the object.'),
  }),
).with({ atomic: true })

export const TypedObjectReference = message('TypedObjectReference', 'Points at an object of any kind.', () => ({
  apiGroup: pointer(1, string, 'Group of the object; absent for the core group.', { omitEmpty: false }),
  kind: required(2, string, 'Kind of the object.'),
  name: required(3, string, 'Name of the object.'),
  namespace: pointer(4, string, 'Namespace of the object; its ReferenceGrant must allow this.'),
}))

export const SerializedReference = message('SerializedReference', 'An object reference as a separate document.', () => ({
  reference: field(1, ObjectReference, 'The reference.'),
})).with({ typeMeta: true })
