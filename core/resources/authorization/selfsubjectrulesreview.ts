import { atomicList, bool, field, message, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'

export const NonResourceRule = message('NonResourceRule', 'Allowed verbs on paths outside the API.', () => ({
  verbs: required(1, atomicList(string), 'HTTP methods; * for all.'),
  nonResourceURLs: field(2, atomicList(string), 'Paths, with * at the end for all below.'),
}))

export const ResourceRule = message('ResourceRule', 'Allowed verbs on resources.', () => ({
  verbs: required(1, atomicList(string), 'Verbs; * for all.'),
  apiGroups: field(2, atomicList(string), 'API groups; * for all.'),
  resources: field(3, atomicList(string), 'Resources; * for all.'),
  resourceNames: field(4, atomicList(string), 'Names of objects; empty for all.'),
}))

export const SelfSubjectRulesReviewSpec = message('SelfSubjectRulesReviewSpec', 'Where permissions are evaluated.', () => ({
  namespace: field(1, string, 'Namespace to evaluate.'),
}))

export const SubjectRulesReviewStatus = message('SubjectRulesReviewStatus', 'The permissions that were found.', () => ({
  resourceRules: required(1, atomicList(ResourceRule), 'Permissions on resources.'),
  nonResourceRules: required(2, atomicList(NonResourceRule), 'Permissions for non-resource paths.'),
  incomplete: required(3, bool, 'Some authorizer could not list its rules.'),
  evaluationError: field(4, string, 'Why the list is incomplete.'),
}))

export const SelfSubjectRulesReview = object('SelfSubjectRulesReview', 'Lists what the caller may do in a namespace.', () => ({
  spec: required(2, SelfSubjectRulesReviewSpec, 'The namespace.'),
  status: field(3, SubjectRulesReviewStatus, 'The permissions.'),
}))

export const selfSubjectRulesReviews = resource({
  group: 'authorization.<domain>',
  version: 'v1',
  names: ['selfsubjectrulesreviews', 'selfsubjectrulesreview'],
  namespaced: false,
  verbs: ['create'],
  schema: SelfSubjectRulesReview,
  storageKey: '',
  action: 'selfSubjectRulesReview',
  lifecycle: { introduced: '1.19' },
})
