import { any, atomicList, message, pointer, required, string } from '../../schema/model.ts'
import { Status } from '../meta/status.ts'

export const ConversionRequest = message('ConversionRequest', 'Objects to convert.', () => ({
  uid: required(1, string, 'Identifier that the response repeats.', { goType: 'types.UID' }),
  desiredAPIVersion: required(2, string, 'Group and version to convert to.'),
  objects: required(3, atomicList(any), 'The objects.'),
}))

export const ConversionResponse = message('ConversionResponse', 'Converted objects.', () => ({
  uid: required(1, string, 'Identifier of the request.', { goType: 'types.UID' }),
  convertedObjects: required(2, atomicList(any), 'The objects in the same order; empty after a failure.'),
  result: required(3, Status, 'Success, or why it failed.'),
}))

export const ConversionReview = message('ConversionReview', 'Message to and from a conversion webhook.', () => ({
  request: pointer(1, ConversionRequest, 'The question.'),
  response: pointer(2, ConversionResponse, 'The answer.'),
})).with({ typeMeta: true })
