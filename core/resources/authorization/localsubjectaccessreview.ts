import { field, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from './subjectaccessreview.ts'

export const LocalSubjectAccessReview = object(
  'LocalSubjectAccessReview',
  'Checks whether a user may perform an action in one namespace.',
  () => ({
    spec: required(2, SubjectAccessReviewSpec, 'User and action; their namespace must be that of the request.'),
    status: field(3, SubjectAccessReviewStatus, 'The answer.'),
  }),
)

export const localSubjectAccessReviews = resource({
  group: 'authorization.<domain>',
  version: 'v1',
  names: ['localsubjectaccessreviews', 'localsubjectaccessreview'],
  verbs: ['create'],
  schema: LocalSubjectAccessReview,
  storageKey: '',
  action: 'localSubjectAccessReview',
  lifecycle: { introduced: '1.19' },
})
