import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'certificates.k8s.io/v1'
const der = Buffer.from([0x30, 9, 0x30, 0, 0x30, 0, 0x03, 3, 0, 1, 2])
const pem = (label: string, bytes: Buffer) =>
  Buffer.from(`-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`).toString('base64')
const request = pem('CERTIFICATE REQUEST', der)
const spec = { request, signerName: 'example.com/web', usages: ['client auth'] }
const certificate = pem('CERTIFICATE', der)
const broken = pem('CERTIFICATE REQUEST', Buffer.from('no'))

tables(
  client,
  {
    path: `/apis/${apiVersion}/certificatesigningrequests`,
    manifest: { apiVersion, kind: 'CertificateSigningRequest', metadata: { name: 'r' }, spec },
  },
  {
    stored: [['without changes', {}, { spec: { usages: ['client auth'] }, status: {} }]],
    refused: [
      [
        'a certificate',
        { 'spec.request': certificate },
        [`spec.request: Invalid value: "${certificate}": PEM block type must be CERTIFICATE REQUEST`],
      ],
      [
        'malformed request',
        { 'spec.request': broken },
        [`spec.request: Invalid value: "${broken}": asn1: structure error: malformed certificate request`],
      ],
      ['no usages', { 'spec.usages': [] }, ['spec.usages: Required value']],
      ['duplicate usage', { 'spec.usages': ['any', 'any'] }, ['spec.usages[1]: Duplicate value: "any"']],
      [
        'signer without a path',
        { 'spec.signerName': 'web' },
        [`spec.signerName: Invalid value: "web": must be a fully qualified domain and path of the form 'example.com/signer-name'`],
      ],
      [
        'legacy signer',
        { 'spec.signerName': 'kubernetes.io/legacy-unknown' },
        ['spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version'],
      ],
      [
        'expiration too short',
        { 'spec.expirationSeconds': 599 },
        ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)'],
      ],
    ],
  },
)
