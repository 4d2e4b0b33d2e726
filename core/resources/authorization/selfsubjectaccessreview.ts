import { field, message, pointer, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { NonResourceAttributes, ResourceAttributes } from './attributes.ts'
import { SubjectAccessReviewStatus } from './subjectaccessreview.ts'

export const SelfSubjectAccessReviewSpec = message('SelfSubjectAccessReviewSpec', 'The action to check; one of the two is set.', () => ({
  resourceAttributes: pointer(1, ResourceAttributes, 'Request for a resource.'),
  nonResourceAttributes: pointer(2, NonResourceAttributes, 'Request for another path.'),
}))

export const SelfSubjectAccessReview = object('SelfSubjectAccessReview', 'Checks whether the caller may perform an action.', () => ({
  spec: required(2, SelfSubjectAccessReviewSpec, 'The action.'),
  status: field(3, SubjectAccessReviewStatus, 'The answer.'),
}))

export const selfSubjectAccessReviews = resource({
  group: 'authorization.<domain>',
  version: 'v1',
  names: ['selfsubjectaccessreviews', 'selfsubjectaccessreview'],
  namespaced: false,
  verbs: ['create'],
  schema: SelfSubjectAccessReview,
  storageKey: '',
  action: 'selfSubjectAccessReview',
  lifecycle: { introduced: '1.19' },
})
