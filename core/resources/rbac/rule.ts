import { field, list, message, required, string } from '../../schema/model.ts'

export const PolicyRule = message('PolicyRule', 'Verbs that are allowed on resources or paths.', {
  verbs: required(1, list(string, { listType: 'atomic' }), 'Verbs; * for all.'),
  apiGroups: field(2, list(string, { listType: 'atomic' }), 'API groups; "" for the core group, * for all.'),
  resources: field(3, list(string, { listType: 'atomic' }), 'Resources, with /<subresource> for subresources; * for all.'),
  resourceNames: field(4, list(string, { listType: 'atomic' }), 'Only objects with these names; empty for all.'),
  nonResourceURLs: field(
    5,
    list(string, { listType: 'atomic' }),
    'Paths outside the API, with * at the end for all below; cluster roles only.',
  ),
})
