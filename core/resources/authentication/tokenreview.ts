import { atomicList, bool, field, message, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { UserInfo } from './userinfo.ts'

export const TokenReviewSpec = message('TokenReviewSpec', 'The token to check.', () => ({
  token: required(1, string, 'The token.', { omitEmpty: true }),
  audiences: field(2, atomicList(string), "Audiences of which the token must have one; this server's by default."),
}))

export const TokenReviewStatus = message('TokenReviewStatus', 'Result of the check.', () => ({
  authenticated: field(1, bool, 'Whether the token is valid.'),
  user: field(2, UserInfo, 'User of the token.'),
  audiences: field(4, atomicList(string), 'Requested audiences that the token is valid for.'),
  error: field(3, string, 'Why it could not be checked.'),
}))

export const TokenReview = object('TokenReview', 'Authenticates a token and returns its user.', () => ({
  spec: required(2, TokenReviewSpec, 'Desired state.'),
  status: field(3, TokenReviewStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const tokenReviews = resource({
  group: 'authentication.<domain>',
  version: 'v1',
  names: ['tokenreviews', 'tokenreview'],
  namespaced: false,
  verbs: ['create'],
  schema: TokenReview,
  storageKey: '',
  action: 'tokenReview',
  lifecycle: { introduced: '1.6' },
})
