import { atomicList, field, message, required, string } from '../../schema/model.ts'

export const PolicyRule = message('PolicyRule', 'Verbs that are allowed on resources or paths.', () => ({
  verbs: required(1, atomicList(string), 'Verbs; * for all.'),
  apiGroups: field(2, atomicList(string), 'API groups; "" for the core group, * for all.'),
  resources: field(3, atomicList(string), 'Resources, with /<subresource> for subresources; * for all.'),
  resourceNames: field(4, atomicList(string), 'Only objects with these names; empty for all.'),
  nonResourceURLs: field(5, atomicList(string), 'Paths outside the API, with * at the end for all below; cluster roles only.'),
}))
