import { bytes, field, int32, keyedList, map, message, pointer, required, string, time } from '../../../schema/model.ts'
import { resource } from '../../definition.ts'
import { Condition } from '../../meta/condition.ts'
import { object } from '../../meta/object.ts'
import { podCertificateRequestColumns } from '../columns.ts'
import { podSignatureFault, validatePodRequest, validatePodRequestStatus } from '../pod-request-validation.ts'

export const PodCertificateRequestSpec = message(
  'PodCertificateRequestSpec',
  'The certificate that a node requests for a pod; cannot be changed.',
  () => ({
    signerName: required(1, string, 'Requested signer.'),
    podName: required(2, string, 'Name of the pod.'),
    podUID: required(3, string, 'UID of the pod.', { goType: 'types.UID' }),
    serviceAccountName: required(4, string, 'Service account of the pod.'),
    serviceAccountUID: required(5, string, 'UID of the service account.', { goType: 'types.UID' }),
    nodeName: required(6, string, 'Node of the pod.', { goType: 'types.NodeName' }),
    nodeUID: required(7, string, 'UID of the node.', { goType: 'types.UID' }),
    maxExpirationSeconds: pointer(8, int32, 'Longest validity to accept, at least 3600; 86400 by default.', { default: 86400 }),
    pkixPublicKey: field(9, bytes, 'Deprecated: public key in PKIX form, in base64.', { omitEmpty: false }),
    proofOfPossession: field(10, bytes, "Deprecated: signature over the pod's UID with the key.", { omitEmpty: false }),
    stubPKCS10Request: required(12, bytes, 'PKCS #10 request that carries the public key and proves its possession.'),
    unverifiedUserAnnotations: field(11, map(string), 'Annotations from the pod, for the signer; not checked.'),
  }),
)

export const PodCertificateRequestStatus = message(
  'PodCertificateRequestStatus',
  'State of the request; cannot be changed once issued, denied or failed.',
  () => ({
    conditions: keyedList(1, Condition, 'type', 'Issued, Denied or Failed.'),
    certificateChain: field(2, string, "PEM blocks, the pod's certificate first."),
    notBefore: pointer(4, time, 'When its validity begins.'),
    beginRefreshAt: pointer(5, time, 'When the node should request a new one.'),
    notAfter: pointer(6, time, 'When its validity ends.'),
  }),
)

export const PodCertificateRequest = object('PodCertificateRequest', 'Requests a certificate for a pod from a signer.', () => ({
  spec: required(2, PodCertificateRequestSpec, 'Desired state.', { immutable: true }),
  status: field(3, PodCertificateRequestStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const podCertificateRequests = resource({
  group: 'certificates.<domain>',
  version: 'v1beta1',
  names: ['podcertificaterequests', 'podcertificaterequest'],
  gate: 'PodCertificateRequest',
  schema: PodCertificateRequest,
  columns: podCertificateRequestColumns,
  lifecycle: { introduced: '1.35', deprecated: '1.38', removed: '1.41' },
  status: true,
  statusKeeps: 'metadata',
  selectable: { 'spec.signerName': '.spec.signerName', 'spec.podName': '.spec.podName', 'spec.nodeName': '.spec.nodeName' },
  updateNeedsVersion: true,
  strategy: { signatureFault: podSignatureFault, validate: validatePodRequest, validateStatus: validatePodRequestStatus },
})
