/** Messages of the external signer's protocol (KEP-740), version 1. */
import { bool, bytes, field, int32, int64, list, message, string } from '../../../schema/model.ts'

export const SignRequest = message('SignJWTRequest', 'Claims to sign.', {
  claims: field(1, string, 'Payload of the JWT, in base64url.'),
})

export const SignResponse = message('SignJWTResponse', 'The rest of the JWT.', {
  header: field(1, string, 'In base64url.'),
  signature: field(2, string, 'In base64url.'),
})

const Timestamp = message('Timestamp', 'A point in time.', {
  seconds: field(1, int64, 'Seconds since the epoch.'),
  nanos: field(2, int32, 'Nanoseconds beyond that.'),
})

const Key = message('Key', 'A public key.', {
  keyId: field(1, string, 'Its id, at most 1024 characters.'),
  key: field(2, bytes, 'SubjectPublicKeyInfo.'),
  excludeFromOidcDiscovery: field(3, bool, 'True for keys that only verify, and are not published.'),
})

export const Keys = message('FetchKeysResponse', 'The keys that verify tokens.', {
  keys: field(1, list(Key), 'All of them.'),
  dataTimestamp: field(2, Timestamp, 'When they were read.'),
  refreshHintSeconds: field(3, int64, 'Time after which to ask again.'),
})

export const Metadata = message('MetadataResponse', 'What the signer is capable of.', {
  maxTokenExpirationSeconds: field(1, int64, 'Longest validity of a token.'),
})

export const Nothing = message('Nothing', 'A request without content.', {})
