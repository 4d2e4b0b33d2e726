import { required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { ObjectReference } from './references.ts'

export const Binding = object('Binding', 'Ties a pod to a node; created by a scheduler.', () => ({
  target: required(2, ObjectReference, 'The node.'),
}))

export const bindings = resource({
  group: '',
  version: 'v1',
  names: ['bindings', 'binding'],
  verbs: ['create'],
  schema: Binding,
  storageKey: '',
  action: 'collectedBinding',
  lifecycle: { introduced: '1.0' },
})
