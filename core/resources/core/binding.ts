import { field, message, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { ObjectReference } from './references.ts'

export const Binding = message(
  'Binding',
  'Ties a pod to a node; created by a scheduler.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    target: required(2, ObjectReference, 'The node.'),
  },
  { typeMeta: true },
)

export const bindings = resource({
  group: '',
  version: 'v1',
  kind: 'Binding',
  names: ['bindings', 'binding'],
  verbs: ['create'],
  schema: Binding,
  storageKey: '',
  lifecycle: { introduced: '1.0' },
})
