import { atomicList, field, message, pointer, string } from '../../schema/model.ts'
import { FieldSelectorRequirement, LabelSelectorRequirement } from '../meta/selector.ts'

export const FieldSelectorAttributes = message('FieldSelectorAttributes', 'Field selector of a request; one of the two is set.', () => ({
  rawSelector: field(1, string, "The selector as text; not used by this server's authorizers."),
  requirements: field(2, atomicList(FieldSelectorRequirement), 'The selector, parsed; all requirements must hold.'),
}))

export const LabelSelectorAttributes = message('LabelSelectorAttributes', 'Label selector of a request; one of the two is set.', () => ({
  rawSelector: field(1, string, "The selector as text; not used by this server's authorizers."),
  requirements: field(2, atomicList(LabelSelectorRequirement), 'The selector, parsed; all requirements must hold.'),
}))

export const ResourceAttributes = message('ResourceAttributes', 'Verb, resource and name that a request is about.', () => ({
  namespace: field(1, string, 'Namespace of the request; empty for all, or for cluster-wide resources.'),
  verb: field(2, string, 'Verb, such as get; * for all.'),
  group: field(3, string, 'API group; * for all.'),
  version: field(4, string, 'API version; * for all.'),
  resource: field(5, string, 'Resource; * for all.'),
  subresource: field(6, string, 'Subresource; empty for none.'),
  name: field(7, string, 'Name of the object; empty for all.'),
  fieldSelector: pointer(8, FieldSelectorAttributes, 'Field selector that narrows the request.'),
  labelSelector: pointer(9, LabelSelectorAttributes, 'Label selector that narrows the request.'),
}))

export const NonResourceAttributes = message('NonResourceAttributes', 'A request for a path outside the API.', () => ({
  path: field(1, string, 'URL path.'),
  verb: field(2, string, 'HTTP method in lower case.'),
}))
