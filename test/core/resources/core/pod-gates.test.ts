/** Fields of pods that are behind feature gates which are off by default: pods and templates alike. */
import { allGates, startServer, tables } from '../support.ts'

const client = startServer({ gates: allGates })
const sources = 'spec.volumes.0.projected.sources'
const at = 'spec.volumes[0].projected.sources[0]'
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const bundleName = `${at}.clusterTrustBundle.name: Invalid value`
const certificateAt = `${at}.podCertificate`
const seconds = `${certificateAt}.maxExpirationSeconds: Invalid value`
const group = 'spec.schedulingGroup.podGroupName: Invalid value'

const certificate = { signerName: 'example.com/s', keyType: 'ED25519', credentialBundlePath: 'bundle.pem' }
const withBundle = (clusterTrustBundle: object) => ({ [sources]: [{ clusterTrustBundle: { path: 'f', ...clusterTrustBundle } }] })
const withCertificate = (changes: object) => ({ [sources]: [{ podCertificate: { ...certificate, ...changes } }] })

tables(
  client,
  {
    path: '/api/v1/namespaces/default/pods',
    manifest: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', projected: { sources: [] } }] },
    },
  },
  {
    stored: [
      ['a bundle of a signer by name', withBundle({ name: 'example.com:s:b' }), {}],
      ['a certificate', withCertificate({ maxExpirationSeconds: 7862400, userAnnotations: { 'Example.com/a': 'b' } }), {}],
      ['a certificate in two files', withCertificate({ credentialBundlePath: undefined, keyPath: 'a', certificateChainPath: 'b' }), {}],
      ['a pod group', { 'spec.schedulingGroup': { podGroupName: 'a.b' } }, {}],
    ],
    refused: [
      [
        'bundle without a name',
        withBundle({ name: '' }),
        [
          `${at}.clusterTrustBundle.name: Required value: must be a valid object name`,
          `${bundleName}: "": not a valid clustertrustbundlename: ${subdomain}`,
        ],
      ],
      ['bundle in capitals', withBundle({ name: 'B' }), [`${bundleName}: "B": not a valid clustertrustbundlename: ${subdomain}`]],
      [
        'bundle of a signer in capitals',
        withBundle({ name: 'example.com:s:B' }),
        [`${bundleName}: "example.com:s:B": not a valid clustertrustbundlename: ${subdomain}`],
      ],
      [
        'bundle of an empty signer',
        withBundle({ name: ':b' }),
        [`${bundleName}: ":b": not a valid clustertrustbundlename: ClusterTrustBundle without signer name must not have ":" in its name`],
      ],
      [
        'certificate without anything',
        { [sources]: [{ podCertificate: { signerName: '', keyType: '' } }] },
        [
          `${certificateAt}.signerName: Required value`,
          `${certificateAt}.keyType: Unsupported value: "": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"`,
          `${certificateAt}: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath`,
        ],
      ],
      [
        'certificate for a minute',
        withCertificate({ maxExpirationSeconds: 60 }),
        [`${seconds}: 60: if provided, maxExpirationSeconds must be >= 3600`],
      ],
      [
        'certificate for too long',
        withCertificate({ maxExpirationSeconds: 7862401 }),
        [`${seconds}: 7862401: if provided, maxExpirationSeconds must be <= 7862400`],
      ],
      [
        'certificate of the platform for two days',
        withCertificate({ signerName: 'a.kubernetes.io/s', maxExpirationSeconds: 172800 }),
        [`${seconds}: 172800: if provided, maxExpirationSeconds must be <= 86400`],
      ],
      [
        'annotation without a domain',
        withCertificate({ userAnnotations: { A: 'b' } }),
        [`${certificateAt}.userAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")`],
      ],
      [
        'files outside of the volume',
        withCertificate({ keyPath: '/a', certificateChainPath: '../b' }),
        [
          `${certificateAt}.keyPath: Invalid value: "/a": must be a relative path`,
          `${certificateAt}.certificateChainPath: Invalid value: "../b": must not contain '..'`,
        ],
      ],
      [
        'one file twice',
        withCertificate({ keyPath: 'bundle.pem' }),
        ['spec.volumes[0].projected: Invalid value: "bundle.pem": conflicting duplicate paths'],
      ],
      ['no pod group', { 'spec.schedulingGroup': {} }, [`${group}: null: must specify one of: \`podGroupName\``]],
      ['pod group without a name', { 'spec.schedulingGroup': { podGroupName: '' } }, [`${group}: "": ${subdomain}`]],
    ],
  },
)
