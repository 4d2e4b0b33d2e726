/** Requests for certificates are signed with the key that they are about, in each algorithm, as kube-apiserver 1.36.2 demands. */
import assert from 'node:assert/strict'
import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { requestSignatureFault } from '../../../../core/resources/certificates/possession.ts'
import { causesOf, startServer } from '../support.ts'

const client = startServer()
const requests = '/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests'

const pairs: { readonly [name: string]: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } } = {
  Ed25519: generateKeyPairSync('ed25519'),
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  RSA: generateKeyPairSync('rsa', { modulusLength: 3072 }),
}
const small = generateKeyPairSync('ec', { namedCurve: 'secp224r1' })
const other = { RSA: generateKeyPairSync('rsa', { modulusLength: 3072 }) }

const podUID = 'd9f1a4bc-2ef5-44a4-8f3c-5e1d0a1f3c55'
const text = Buffer.from(podUID)

const pss = (key: KeyObject, saltLength: number, data = text) =>
  sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })

async function causes(publicKey: KeyObject, proof: Buffer): Promise<string[]> {
  const spec = {
    ...{
      signerName: 'example.com/s',
      podName: 'p',
      podUID,
      serviceAccountName: 'a',
      serviceAccountUID: 'u2',
      nodeName: 'n',
      nodeUID: 'u3',
    },
    maxExpirationSeconds: 3600,
    pkixPublicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    proofOfPossession: proof.toString('base64'),
  }
  const body = { kind: 'PodCertificateRequest', apiVersion: 'certificates.k8s.io/v1beta1', metadata: { name: 'r' }, spec }
  return causesOf(await (await client).send('POST', `${requests}?dryRun=All`, body))
}

const unproven = ['spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature']

for (const [name, { publicKey, privateKey }] of Object.entries(pairs))
  test(`a proof with ${name} is a signature of the pod's UID`, async () => {
    const proofs =
      name === 'RSA'
        ? [0, 20, 32, 350].map((salt) => pss(privateKey, salt))
        : [sign(name === 'Ed25519' ? null : 'sha256', text, privateKey)]
    for (const proof of proofs) {
      assert.deepEqual(await causes(publicKey, proof), [])
      const damaged = Buffer.from(proof)
      damaged[damaged.length - 1]! ^= 1
      assert.deepEqual(await causes(publicKey, damaged), unproven)
      assert.deepEqual(await causes(publicKey, proof.subarray(1)), unproven)
      assert.deepEqual(await causes(publicKey, Buffer.concat([proof, Buffer.alloc(1)])), unproven)
    }
    const otherText = Buffer.from('another pod')
    const wrong = name === 'RSA' ? pss(privateKey, 32, otherText) : sign(name === 'Ed25519' ? null : 'sha256', otherText, privateKey)
    assert.deepEqual(await causes(publicKey, wrong), unproven)
  })

test('a proof of another key, with another padding or hash is none', async () => {
  const { publicKey, privateKey } = pairs['RSA']!
  assert.deepEqual(await causes(publicKey, pss(other.RSA.privateKey, 32)), unproven)
  assert.deepEqual(await causes(publicKey, sign('sha256', text, privateKey)), unproven)
  const sha512 = sign('sha512', text, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 })
  assert.deepEqual(await causes(publicKey, sha512), unproven)
  assert.deepEqual(await causes(pairs['P-256']!.publicKey, createHash('sha256').update(text).digest()), unproven)
})

const tlv = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}
const oid = (...bytes: number[]) => tlv(0x30, tlv(0x06, Buffer.from(bytes)))
const ecdsaSha256 = oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02)
const rsaSha256 = oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b)
const rsaSha1 = oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05)
const rsaMd5 = oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x04)
const ed25519 = oid(0x2b, 0x65, 0x70)

/** A CertificationRequest with an empty subject. */
function requestOf(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  algorithm: Buffer,
  hash: string | null,
  damage = 0,
) {
  const info = tlv(0x30, tlv(0x02, Buffer.from([0])), tlv(0x30), publicKey.export({ type: 'spki', format: 'der' }), tlv(0xa0))
  const signature = sign(hash, info, privateKey)
  signature[signature.length - 1]! ^= damage
  return tlv(0x30, info, algorithm, tlv(0x03, Buffer.from([0]), signature))
}

test('a certificate request is signed with its key', async () => {
  const { RSA, Ed25519 } = pairs as { RSA: (typeof pairs)[string]; Ed25519: (typeof pairs)[string] }
  const ec = pairs['P-256']!
  const rows: [request: Buffer, fault: string | undefined][] = [
    [requestOf(ec, ecdsaSha256, 'sha256'), undefined],
    [requestOf(ec, ecdsaSha256, 'sha256', 1), 'x509: ECDSA verification failure'],
    [requestOf(small, ecdsaSha256, 'sha256'), undefined],
    [requestOf(small, ecdsaSha256, 'sha256', 1), 'x509: ECDSA verification failure'],
    [requestOf(RSA, rsaSha256, 'sha256'), undefined],
    [requestOf(RSA, rsaSha1, 'sha1'), undefined],
    [requestOf(RSA, rsaSha256, 'sha256', 1), 'crypto/rsa: verification error'],
    [requestOf(RSA, rsaMd5, 'sha256'), 'x509: cannot verify signature: insecure algorithm MD5-RSA'],
    [requestOf(Ed25519, ed25519, null), undefined],
    [requestOf(Ed25519, ed25519, null, 1), 'x509: Ed25519 verification failure'],
    [
      requestOf(ec, rsaSha256, 'sha256'),
      'x509: signature algorithm specifies an RSA public key, but have public key of type *ecdsa.PublicKey',
    ],
    [requestOf(ec, oid(0x2a, 0x03), 'sha256'), 'x509: cannot verify signature: algorithm unimplemented'],
  ]
  const { send } = await client
  for (const [request, fault] of rows) {
    assert.equal(await requestSignatureFault(request), fault)
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${request.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
    const spec = { request: Buffer.from(pem).toString('base64'), signerName: 'example.com/s', usages: ['client auth'] }
    const body = { kind: 'CertificateSigningRequest', apiVersion: 'certificates.k8s.io/v1', metadata: { name: 'r' }, spec }
    const answer = await send('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All', body)
    assert.equal(answer.code, fault === undefined ? 201 : 422, JSON.stringify(answer.body))
    if (fault !== undefined) assert.ok(causesOf(answer)[0]?.endsWith(`: ${fault}`), causesOf(answer)[0])
  }
})
