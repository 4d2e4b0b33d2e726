import { any, atomicList, bool, bytes, field, map, message, pointer, string } from '../../schema/model.ts'
import { UserInfo } from '../authentication/userinfo.ts'
import { GroupVersionKind, GroupVersionResource } from '../meta/group-version.ts'
import { Status } from '../meta/status.ts'

export const AdmissionRequest = message('AdmissionRequest', 'A request that is submitted to a webhook.', () => ({
  uid: field(1, string, 'Identifier that the response repeats.', { goType: 'types.UID', omitEmpty: false }),
  kind: field(2, GroupVersionKind, 'Kind of the object as it is sent here.', { omitEmpty: false }),
  resource: field(3, GroupVersionResource, 'Resource as it is sent here.', { omitEmpty: false }),
  subResource: field(4, string, 'Subresource as it is sent here.'),
  requestKind: pointer(13, GroupVersionKind, "Kind in the client's request."),
  requestResource: pointer(14, GroupVersionResource, "Resource in the client's request."),
  requestSubResource: field(15, string, "Subresource in the client's request."),
  name: field(5, string, 'Name of the object; empty when the server will generate one.'),
  namespace: field(6, string, 'Namespace of the object.'),
  operation: field(7, string, 'CREATE, UPDATE, DELETE or CONNECT.', {
    goType: 'v1.Operation',
    openEnum: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    omitEmpty: false,
  }),
  userInfo: field(8, UserInfo, 'Who sent the request.', { omitEmpty: false }),
  object: field(9, any, 'The new object; null for DELETE.'),
  oldObject: field(10, any, 'The present object; null for CREATE and CONNECT.'),
  dryRun: pointer(11, bool, 'Nothing will be stored.'),
  options: field(12, any, 'Options of the operation, such as CreateOptions.'),
}))

export const AdmissionResponse = message('AdmissionResponse', 'The answer of a webhook.', () => ({
  uid: field(1, string, 'Identifier of the request.', { goType: 'types.UID', omitEmpty: false }),
  allowed: field(2, bool, 'The request may go on.', { omitEmpty: false }),
  status: pointer(3, Status, 'Why it may not.'),
  patch: field(4, bytes, 'Changes of the object, in base64.'),
  patchType: pointer(5, string, 'Format of the patch: JSONPatch.', { goType: 'v1.PatchType', openEnum: ['JSONPatch'] }),
  auditAnnotations: field(6, map(string), 'Annotations for the audit event.'),
  warnings: field(7, atomicList(string), 'Warnings for the client, without prefix.'),
}))

export const AdmissionReview = message('AdmissionReview', 'Message to and from an admission webhook.', () => ({
  request: pointer(1, AdmissionRequest, 'The question.'),
  response: pointer(2, AdmissionResponse, 'The answer.'),
})).with({ typeMeta: true })
