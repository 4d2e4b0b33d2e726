import { bool, field, list, message, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'

export const NonResourceRule = message('NonResourceRule', 'Allowed verbs on paths outside the API.', {
  verbs: required(1, list(string, { listType: 'atomic' }), 'HTTP methods; * for all.'),
  nonResourceURLs: field(2, list(string, { listType: 'atomic' }), 'Paths, with * at the end for all below.'),
})

export const ResourceRule = message('ResourceRule', 'Allowed verbs on resources.', {
  verbs: required(1, list(string, { listType: 'atomic' }), 'Verbs; * for all.'),
  apiGroups: field(2, list(string, { listType: 'atomic' }), 'API groups; * for all.'),
  resources: field(3, list(string, { listType: 'atomic' }), 'Resources; * for all.'),
  resourceNames: field(4, list(string, { listType: 'atomic' }), 'Names of objects; empty for all.'),
})

export const SelfSubjectRulesReviewSpec = message('SelfSubjectRulesReviewSpec', 'Where permissions are evaluated.', {
  namespace: field(1, string, 'Namespace to evaluate.'),
})

export const SubjectRulesReviewStatus = message('SubjectRulesReviewStatus', 'The permissions that were found.', {
  resourceRules: required(1, list(ResourceRule, { listType: 'atomic' }), 'Permissions on resources.'),
  nonResourceRules: required(2, list(NonResourceRule, { listType: 'atomic' }), 'Permissions for non-resource paths.'),
  incomplete: required(3, bool, 'Some authorizer could not list its rules.'),
  evaluationError: field(4, string, 'Why the list is incomplete.'),
})

export const SelfSubjectRulesReview = object('SelfSubjectRulesReview', 'Lists what the caller may do in a namespace.', {
  spec: required(2, SelfSubjectRulesReviewSpec, 'The namespace.'),
  status: field(3, SubjectRulesReviewStatus, 'The permissions.'),
})

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
