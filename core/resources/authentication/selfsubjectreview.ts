import { field, message } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { ObjectMeta } from '../meta/objectmeta.ts'
import { UserInfo } from './userinfo.ts'

export const SelfSubjectReviewStatus = message('SelfSubjectReviewStatus', 'What the server knows of the caller.', {
  userInfo: field(1, UserInfo, 'The caller.'),
})

export const SelfSubjectReview = message(
  'SelfSubjectReview',
  'Tells the caller who it is.',
  {
    metadata: field(1, ObjectMeta, 'Name, labels and the other metadata that every object carries.'),
    status: field(2, SelfSubjectReviewStatus, 'What was observed last; written by controllers through the status subresource.'),
  },
  { typeMeta: true },
)

export const selfSubjectReviews = resource({
  group: 'authentication.<domain>',
  version: 'v1',
  kind: 'SelfSubjectReview',
  names: ['selfsubjectreviews', 'selfsubjectreview'],
  namespaced: false,
  verbs: ['create'],
  schema: SelfSubjectReview,
  storageKey: '',
  lifecycle: { introduced: '1.28' },
})
