import '../../access/authn/reflect.ts'
import assert from 'node:assert/strict'
import { webcrypto } from 'node:crypto'
import { test } from 'node:test'
import * as x509 from '@peculiar/x509'
import { causesOf, startServer, withChanges } from '../support.ts'

x509.cryptoProvider.set(webcrypto as Crypto)
const client = startServer()
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

async function certificate(authority: boolean): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test',
    keys: keys as CryptoKeyPair,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(authority)],
  })
  return `${made.toString('pem')}\n`
}

const path = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles'
const bundle = (name: string, trustBundle: string, signerName = '') => ({
  kind: 'ClusterTrustBundle',
  apiVersion: 'certificates.k8s.io/v1beta1',
  metadata: { name },
  spec: { ...(signerName && { signerName }), trustBundle },
})
const at = 'spec.trustBundle: Invalid value: "<value omitted>"'

test('a ClusterTrustBundle contains CA certificates without duplicates', async () => {
  const { send } = await client
  const [root, leaf] = [await certificate(true), await certificate(false)]
  const causes = async (text: string) => causesOf(await send('POST', `${path}?dryRun=All`, bundle('anchors', text)))
  assert.equal((await send('POST', `${path}?dryRun=All`, bundle('anchors', root))).code, 201)
  assert.deepEqual(await causes('nothing'), [`${at}: at least one trust anchor must be provided`])
  assert.deepEqual(await causes(root + root), [`${at}: duplicate trust anchor (indices [0 1])`])
  assert.deepEqual(await causes(root + leaf), [`${at}: entry 1 does not have the CA bit set`])
  assert.deepEqual(await causes(root.replaceAll('CERTIFICATE', 'PUBLIC KEY')), [`${at}: entry 0 has bad block type: PUBLIC KEY`])
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  assert.deepEqual(await causes(broken + root), [`${at}: entry 0 does not parse as X.509`])
})

test('the name of a ClusterTrustBundle has the prefix of its signer, which is immutable', async () => {
  const { send } = await client
  const root = await certificate(true)
  const causes = async (name: string, signer?: string) => causesOf(await send('POST', `${path}?dryRun=All`, bundle(name, root, signer)))
  assert.deepEqual(await causes('a:b'), [
    'metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name',
  ])
  assert.deepEqual(await causes('b', 'example.com/s'), [
    'metadata.name: Invalid value: "b": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
  ])
  const made = await send('POST', path, bundle('example.com:s:b', root, 'example.com/s'))
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const moved = await send('PUT', `${path}/example.com:s:b`, withChanges(made.body, { 'spec.signerName': 'example.com/t' }))
  assert.ok(causesOf(moved).includes('spec.signerName: Invalid value: "example.com/t": field is immutable'), JSON.stringify(moved.body))
})

type Algorithm = { readonly name: string; readonly [parameter: string]: unknown }

/** A request without names, as node agents make it; in base64. */
async function stub(algorithm: Algorithm): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
  const made = await x509.Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: algorithm as unknown as EcdsaParams })
  return Buffer.from(made.rawData).toString('base64')
}

/** The public key of a new key pair, in base64. */
async function spki(algorithm: Algorithm): Promise<string> {
  const usages: KeyUsage[] = algorithm.name === 'X25519' ? ['deriveBits'] : ['sign', 'verify']
  const { publicKey } = (await webcrypto.subtle.generateKey(algorithm, true, usages)) as CryptoKeyPair
  return Buffer.from(await webcrypto.subtle.exportKey('spki', publicKey)).toString('base64')
}

const rsa = (modulusLength: number) => ({
  ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength },
  publicExponent: Uint8Array.of(1, 0, 1),
})

const requests = '/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests'
const request = {
  kind: 'PodCertificateRequest',
  apiVersion: 'certificates.k8s.io/v1beta1',
  metadata: { name: 'r' },
  spec: {
    signerName: 'example.com/s',
    podName: 'p',
    podUID: 'u1',
    serviceAccountName: 'a',
    serviceAccountUID: 'u2',
    nodeName: 'n',
    nodeUID: 'u3',
    maxExpirationSeconds: 3600,
    stubPKCS10Request: await stub(algorithm),
  },
}

test('a PodCertificateRequest names its pod, service account and node', async () => {
  const { send } = await client
  const causes = async (changes: { [path: string]: unknown }) =>
    causesOf(await send('POST', `${requests}?dryRun=All`, withChanges(request, changes)))
  assert.deepEqual(await causes({ 'spec.podUID': '' }), ['spec.podUID: Invalid value: "": must not be empty'])
  assert.deepEqual(await causes({ 'spec.nodeUID': 'x'.repeat(129) }), ['spec.nodeUID: Too long: may not be more than 128 bytes'])
  assert.deepEqual(await causes({ 'spec.maxExpirationSeconds': 60 }), [
    'spec.maxExpirationSeconds: Invalid value: 60: must be in the range [3600, 7862400]',
  ])
  assert.deepEqual(await causes({ 'spec.signerName': 'kubernetes.io/x', 'spec.maxExpirationSeconds': 86401 }), [
    'spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]',
  ])
})

test('a PodCertificateRequest has a key of a known type and strength', async () => {
  const { send } = await client
  const causes = async (changes: { [field: string]: unknown }) => {
    const spec = { ...request.spec, stubPKCS10Request: undefined, ...changes }
    return causesOf(await send('POST', `${requests}?dryRun=All`, { ...request, spec }))
  }
  const proofOfPossession = 'AAAA'
  const unproven = 'spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature'
  const both = 'spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'
  const [stubAt, keyAt] = ['spec.stubPKCS10Request: Invalid value', 'spec.pkixPublicKey: Invalid value']
  const weak = 'RSA keys must have modulus size 3072 or 4096'
  const unknown = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA'
  assert.deepEqual(await causes({}), [both])
  assert.deepEqual(await causes({ ...request.spec, pkixPublicKey: await spki(algorithm) }), [both])
  assert.deepEqual(await causes({ pkixPublicKey: await spki(algorithm) }), [both])
  for (const bytes of ['AAAA', request.spec.stubPKCS10Request.slice(0, -8)])
    assert.deepEqual(await causes({ stubPKCS10Request: bytes }), [`${stubAt}: must be a valid PKCS#10 CSR`])
  assert.deepEqual(await causes({ stubPKCS10Request: 'AAAA'.repeat(4000) }), [
    'spec.stubPKCS10Request: Too long: may not be more than 10240 bytes',
  ])
  for (const good of [
    algorithm,
    { ...algorithm, namedCurve: 'P-384' },
    { ...algorithm, namedCurve: 'P-521' },
    rsa(3072),
    { name: 'Ed25519' },
  ]) {
    assert.deepEqual(await causes({ stubPKCS10Request: await stub(good) }), [], good.name)
    // AAAA is no signature.
    assert.deepEqual(await causes({ pkixPublicKey: await spki(good), proofOfPossession }), [unproven], good.name)
  }
  assert.deepEqual(await causes({ stubPKCS10Request: await stub(rsa(2048)) }), [`${stubAt}: "2048-bit modulus": ${weak}`])
  assert.deepEqual(await causes({ pkixPublicKey: await spki(rsa(2048)), proofOfPossession }), [`${keyAt}: "2048-bit modulus": ${weak}`])
  assert.deepEqual(await causes({ pkixPublicKey: 'AAAA', proofOfPossession }), [
    `${keyAt}: "AAAA": must be a valid PKIX-serialized public key`,
  ])
  const other = await spki({ name: 'X25519' })
  assert.deepEqual(await causes({ pkixPublicKey: other, proofOfPossession }), [`${keyAt}: "${other}": ${unknown}`])
})

test('a PodCertificateRequest is completed once', async () => {
  const { send } = await client
  const made = await send('POST', requests, request)
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const put = (status: object, resourceVersion: unknown = made.body.metadata['resourceVersion']) =>
    send('PUT', `${requests}/r/status`, withChanges(made.body, { status, 'metadata.resourceVersion': resourceVersion }))
  const condition = (type: string, status = 'True') => ({
    type,
    status,
    reason: 'X',
    message: '',
    lastTransitionTime: '2026-01-02T03:04:05Z',
  })
  assert.deepEqual(causesOf(await put({ certificateChain: 'x' })), [
    'status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
  ])
  assert.deepEqual(causesOf(await put({ conditions: [condition('Ready')] })), [
    'status.conditions.[0].type: Unsupported value: "Ready": supported values: "Issued", "Denied", "Failed"',
  ])
  assert.deepEqual(causesOf(await put({ conditions: [condition('Denied')], certificateChain: 'x' })), [
    'status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest',
  ])
  assert.deepEqual(causesOf(await put({ conditions: [condition('Issued')] })), [
    'status.certificateChain: Invalid value: "": issued certificate chain must contain at least one certificate',
  ])
  const denied = await put({ conditions: [condition('Denied')] })
  assert.equal(denied.code, 200, JSON.stringify(denied.body))
  assert.deepEqual(causesOf(await put({ conditions: [condition('Failed')] }, denied.body.metadata['resourceVersion'])), [
    'status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed',
  ])
})
