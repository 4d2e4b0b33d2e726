import { field, message } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { UserInfo } from './userinfo.ts'

export const SelfSubjectReviewStatus = message('SelfSubjectReviewStatus', 'What the server knows about the caller.', () => ({
  userInfo: field(1, UserInfo, 'The caller.'),
}))

export const SelfSubjectReview = object('SelfSubjectReview', 'Returns the user of the request.', () => ({
  status: field(2, SelfSubjectReviewStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const selfSubjectReviews = resource({
  group: 'authentication.<domain>',
  version: 'v1',
  names: ['selfsubjectreviews', 'selfsubjectreview'],
  namespaced: false,
  verbs: ['create'],
  schema: SelfSubjectReview,
  storageKey: '',
  action: 'selfSubjectReview',
  lifecycle: { introduced: '1.28' },
})
