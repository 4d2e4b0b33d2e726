import { field, message, required } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from './subjectaccessreview.ts'

export const LocalSubjectAccessReview = message(
  'LocalSubjectAccessReview',
  'Asks whether a user may do something in one namespace.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    spec: required(2, SubjectAccessReviewSpec, 'User and action; their namespace must be that of the request.'),
    status: field(3, SubjectAccessReviewStatus, 'The answer.'),
  },
  { typeMeta: true },
)

export const localSubjectAccessReviews = resource({
  group: 'authorization.<domain>',
  version: 'v1',
  kind: 'LocalSubjectAccessReview',
  names: ['localsubjectaccessreviews', 'localsubjectaccessreview'],
  verbs: ['create'],
  schema: LocalSubjectAccessReview,
  storageKey: '',
  lifecycle: { introduced: '1.19' },
})
