import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { fixedKeys, loadVerificationKeys } from '../../../core/access/authn/certificate/keys.ts'
import { discoveryPath, type IssuerOptions, issuerDocuments, keySetPath } from '../../../core/meta/issuer.ts'

const spki = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ type: 'spki', format: 'pem' }).toString()
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' })

const options = async (more: Partial<IssuerOptions> = {}): Promise<IssuerOptions> => ({
  issuer: 'https://issuer/path',
  keys: fixedKeys(await loadVerificationKeys([spki(rsa), spki(ec)])),
  keySetUri: '',
  serverAddress: 'host:6443',
  ...more,
})

async function documentOf(path: string, more?: Partial<IssuerOptions>) {
  const found = issuerDocuments(await options(more))
  assert.ok('documents' in found, 'the issuer has discovery documents')
  const response = await found.documents[path]?.respond()
  assert.ok(response, path)
  return { type: response.headers.get('content-type'), cache: response.headers.get('cache-control'), body: await response.json() }
}

test('the discovery document', async () => {
  assert.deepEqual(await documentOf(discoveryPath), {
    type: 'application/json',
    cache: 'public, max-age=3600',
    body: {
      issuer: 'https://issuer/path',
      jwks_uri: 'https://host:6443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES384', 'RS256'],
    },
  })
  const { body } = await documentOf(discoveryPath, { keySetUri: 'https://elsewhere/keys' })
  assert.equal((body as { jwks_uri: string }).jwks_uri, 'https://elsewhere/keys')
})

test('the key set', async () => {
  const { type, body } = await documentOf(keySetPath)
  assert.equal(type, 'application/jwk-set+json')
  const { keys } = body as { keys: Record<string, string>[] }
  assert.deepEqual(
    keys.map((key) => Object.keys(key)),
    [
      ['use', 'kty', 'kid', 'alg', 'n', 'e'],
      ['use', 'kty', 'kid', 'crv', 'alg', 'x', 'y'],
    ],
  )
  const { n, e } = rsa.publicKey.export({ format: 'jwk' })
  assert.deepEqual([keys[0]?.['n'], keys[0]?.['e']], [n, e])
})

test('an issuer with an invalid URL has no documents', async () => {
  for (const issuer of ['', 'system', 'http://issuer', 'https://issuer?a=b', 'https://issuer#x', 'ftp://issuer'])
    assert.ok('defect' in issuerDocuments(await options({ issuer })), issuer)
  assert.ok('defect' in issuerDocuments(await options({ keySetUri: 'http://keys' })))
})
