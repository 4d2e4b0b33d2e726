import { atomicList, field, int64, message, pointer, string, time } from '../../schema/model.ts'
import { object } from '../meta/object.ts'

export const BoundObjectReference = message('BoundObjectReference', 'Object that a token is bound to.', () => ({
  kind: field(1, string, 'Kind of the object: Pod, Secret or Node.'),
  apiVersion: field(2, string, 'Group and version of the object.'),
  name: field(3, string, 'Name of the object.'),
  uid: field(4, string, 'UID of the object.', { goType: 'types.UID' }),
}))

/** Seconds of validity of tokens whose request names none. */
const defaultSeconds = 3600

export const TokenRequestSpec = message('TokenRequestSpec', 'The requested token.', () => ({
  audiences: field(1, atomicList(string), 'Audiences of the token; this server when empty.', { omitEmpty: false }),
  expirationSeconds: pointer(4, int64, `Seconds of validity; may be shortened. ${defaultSeconds} by default.`, { omitEmpty: false }),
  boundObjectRef: pointer(3, BoundObjectReference, 'Object without which the token is void.', { omitEmpty: false }),
})).with({
  defaults(spec) {
    spec['expirationSeconds'] ??= defaultSeconds
  },
})

export const TokenRequestStatus = message('TokenRequestStatus', 'The token that was issued.', () => ({
  token: field(1, string, 'The token.', { omitEmpty: false }),
  expirationTimestamp: field(2, time, 'When it expires.', { omitEmpty: false }),
}))

export const TokenRequest = object('TokenRequest', 'Requests a token of a service account.', () => ({
  spec: field(2, TokenRequestSpec, 'Desired state.', { omitEmpty: false }),
  status: field(3, TokenRequestStatus, 'Last observed state; written by controllers through the status subresource.'),
}))
