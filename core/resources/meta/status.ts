import { atomicList, field, int32, message, pointer, string } from '../../schema/model.ts'
import { StatusReason } from './enums.ts'
import { ListMeta } from './listmeta.ts'

export const StatusCause = message('StatusCause', 'One of the reasons why a request failed.', () => ({
  reason: field(1, string, 'The reason in one word.', {
    goType: 'v1.CauseType',
    openEnum: [
      'FieldValueNotFound',
      'FieldValueRequired',
      'FieldValueDuplicate',
      'FieldValueInvalid',
      'FieldValueNotSupported',
      'FieldValueForbidden',
      'FieldValueTooLong',
      'FieldValueTooMany',
      'InternalError',
      'FieldValueTypeInvalid',
      'UnexpectedServerResponse',
      'FieldManagerConflict',
      'ResourceVersionTooLarge',
    ],
  }),
  message: field(2, string, 'The reason for people.'),
  field: field(3, string, 'Field that caused it, as a path with indexes.'),
}))

export const StatusDetails = message('StatusDetails', 'More about a failure, by reason.', () => ({
  name: field(1, string, 'Name of the resource at fault.'),
  group: field(2, string, 'Group of the resource at fault.'),
  kind: field(3, string, 'Kind, or plural name, of the resource at fault.'),
  uid: field(6, string, 'UID of the object, if there is one.', { goType: 'types.UID' }),
  causes: field(4, atomicList(StatusCause), 'Single causes of the failure.'),
  retryAfterSeconds: field(5, int32, 'Seconds to wait before another try.'),
}))

export const Status = message('Status', 'The outcome of a request that returns no other object.', () => ({
  metadata: field(1, ListMeta, 'Metadata of a list, for paging errors.'),
  status: field(2, string, 'Success or Failure.'),
  message: field(3, string, 'What happened, for people.'),
  reason: field(4, string, 'Why it failed, in one word that programs can match.', { goType: 'v1.StatusReason', openEnum: StatusReason }),
  details: pointer(5, StatusDetails, 'More about the failure.'),
  code: field(6, int32, 'HTTP status code.'),
})).with({ typeMeta: true })
