import { atomicList, bytes, field, int32, list, map, message, pointer, required, string, time, withFacets } from '../../schema/model.ts'
import { ConditionStatus } from '../core/enums.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { certificateSigningRequestColumns } from './columns.ts'
import { approval, prepareStatus, validateStatus } from './csr-subresources.ts'
import { requestSignature, validateRequest, validateRequestBlock } from './csr-validation.ts'

export const ExtraValue = list(string, { wrapper: true, goType: 'v1.ExtraValue' })

export const CertificateSigningRequestSpec = message(
  'CertificateSigningRequestSpec',
  'The requested certificate; cannot be changed.',
  () => ({
    request: required(1, bytes, 'PEM block with a PKCS #10 request, in base64.'),
    signerName: required(7, string, 'Requested signer, as a prefixed name.'),
    expirationSeconds: pointer(8, int32, 'Requested validity in seconds, at least 600; the signer may choose another.'),
    usages: field(
      5,
      atomicList(
        withFacets(string, {
          enum: [
            'signing',
            'digital signature',
            'content commitment',
            'key encipherment',
            'key agreement',
            'data encipherment',
            'cert sign',
            'crl sign',
            'encipher only',
            'decipher only',
            'any',
            'server auth',
            'client auth',
            'code signing',
            'email protection',
            's/mime',
            'ipsec end system',
            'ipsec tunnel',
            'ipsec user',
            'timestamping',
            'ocsp signing',
            'microsoft sgc',
            'netscape sgc',
          ],
        }),
      ),
      'Requested key usages.',
      { goType: 'v1.KeyUsage' },
    ),
    username: field(2, string, 'User that created the request; set by the server.'),
    uid: field(3, string, 'UID of the user; set by the server.'),
    groups: field(4, atomicList(string), 'Groups of the user; set by the server.'),
    extra: field(6, map(ExtraValue), 'Extra attributes of the user; set by the server.'),
  }),
).with({
  validateFirst: ({ request }, path, errors, context) => validateRequestBlock(request, path.child('request'), errors, context),
})

export const CertificateSigningRequestCondition = message(
  'CertificateSigningRequestCondition',
  'An observation about a signing request.',
  () => ({
    type: required(1, string, 'Approved, Denied or Failed.', {
      goType: 'v1.RequestConditionType',
      openEnum: ['Approved', 'Denied', 'Failed'],
    }),
    status: required(6, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
    reason: field(2, string, 'One word in CamelCase that programs can match.'),
    message: field(3, string, 'Details for people.'),
    lastUpdateTime: field(4, time, 'When the condition was last written.'),
    lastTransitionTime: field(5, time, 'When the status last changed from one value to another.'),
  }),
)

export const CertificateSigningRequestStatus = message('CertificateSigningRequestStatus', 'State of a signing request.', () => ({
  conditions: field(1, list(CertificateSigningRequestCondition, { listType: 'map', keys: ['type'] }), 'Decisions and failures.'),
  certificate: field(2, bytes, 'PEM blocks of the issued certificate and its chain, in base64.'),
}))

export const CertificateSigningRequest = object('CertificateSigningRequest', 'Requests a certificate from a signer.', () => ({
  spec: required(2, CertificateSigningRequestSpec, 'Desired state.'),
  status: field(3, CertificateSigningRequestStatus, 'Last observed state; written by controllers through the status subresource.'),
}))

export const certificateSigningRequests = resource({
  group: 'certificates.<domain>',
  version: 'v1',
  names: ['certificatesigningrequests', 'certificatesigningrequest', 'csr'],
  metadataOnUpdate: ['object', 'update'],
  namespaced: false,
  schema: CertificateSigningRequest,
  columns: certificateSigningRequestColumns,
  lifecycle: { introduced: '1.19' },
  status: true,
  subresources: [
    {
      name: 'approval',
      kind: 'CertificateSigningRequest',
      verbs: ['get', 'patch', 'update'],
      schema: CertificateSigningRequest,
      strategy: approval,
    },
  ],
  nameFormat: 'pathSegment',
  reset: [['spec']],
  selectable: { 'spec.signerName': '.spec.signerName' },
  strategy: {
    signatureFault: requestSignature,
    validate: validateRequest,
    prepareCreate({ spec }, { user }) {
      spec.username = user?.name ?? ''
      spec.uid = user?.uid ?? ''
      spec.groups = [...(user?.groups ?? [])]
      spec.extra = Object.fromEntries(Object.entries(user?.extra ?? {}).map(([key, values]) => [key, [...values]]))
    },
    prepareUpdate(object, old) {
      object.spec = old.spec
    },
    prepareStatus,
    validateStatus,
  },
})
