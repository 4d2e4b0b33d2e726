import { atomicList, bool, field, list, map, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { NonResourceAttributes, ResourceAttributes } from './attributes.ts'

export const ExtraValue = list(string, { wrapper: true, goType: 'v1.ExtraValue' })

export const SubjectAccessReviewSpec = message('SubjectAccessReviewSpec', 'The action and the user to check.', () => ({
  resourceAttributes: pointer(1, ResourceAttributes, 'Request for a resource.'),
  nonResourceAttributes: pointer(2, NonResourceAttributes, 'Request for another path.'),
  user: field(3, string, 'Name of the user.'),
  groups: field(4, atomicList(string), 'Groups of the user.'),
  extra: field(5, map(ExtraValue), 'Further facts about the user.'),
  uid: field(6, string, 'UID of the user.'),
}))

export const SubjectAccessReviewStatus = message('SubjectAccessReviewStatus', 'Whether an action is allowed.', () => ({
  allowed: required(1, bool, 'The action is allowed.'),
  denied: field(4, bool, 'The action is denied; if neither allowed nor denied is set, no authorizer had an opinion.'),
  reason: field(2, string, 'Why.'),
  evaluationError: field(3, string, 'Error during the evaluation; the decision may still be valid.'),
}))

export const SubjectAccessReview = object('SubjectAccessReview', 'Checks whether a user may perform an action.', () => ({
  spec: required(2, SubjectAccessReviewSpec, 'User and action.'),
  status: field(3, SubjectAccessReviewStatus, 'The answer.'),
}))

export const subjectAccessReviews = resource({
  group: 'authorization.<domain>',
  version: 'v1',
  names: ['subjectaccessreviews', 'subjectaccessreview'],
  namespaced: false,
  verbs: ['create'],
  schema: SubjectAccessReview,
  storageKey: '',
  action: 'subjectAccessReview',
  lifecycle: { introduced: '1.6' },
})
