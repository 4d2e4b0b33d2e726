import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../core/answers/status.ts'
import { createPlatform } from '../../../core/platform.ts'
import { decodeContinue, encodeContinue, inconsistent } from '../../../core/request/continue-token.ts'
import fc from '../../support/fast-check.ts'

const platform = createPlatform()
const raw = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('tokens have the format of kube-apiserver', () => {
  assert.equal(encodeContinue({ start: 'ns/a\0', revision: 7 }, platform, true), raw({ v: 'meta.k8s.io/v1', rv: 7, start: '/ns/a\0' }))
  assert.deepEqual(decodeContinue(raw({ v: 'meta.k8s.io/v1', rv: 7, start: 'ns/a\0' }), platform), { start: 'ns/a\0', revision: 7 })
})

test('encoding round trip', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9.-]{1,20}$/), fc.integer({ min: 1 }), (name, revision) => {
      if (name === '.' || name === '..') return
      const point = { start: `ns/${name}\0`, revision }
      assert.deepEqual(decodeContinue(encodeContinue(point, platform), platform), point)
    }),
  )
  assert.equal(decodeContinue(encodeContinue({ start: 'é', revision: inconsistent }, platform), platform).revision, -1)
})

test('refuses malformed tokens in the words of kube-apiserver', () => {
  const invalid = 'invalid continue token: continue key is not valid'
  const rows: [token: string, message: string | RegExp][] = [
    ['a+b', 'invalid continue token: continue key is not valid: illegal base64 data at input byte 1'],
    ['abcde', /illegal base64/],
    ['', /continue key is not valid/],
    [raw([]), `${invalid}: json: cannot unmarshal array into Go value of type storage.continueToken`],
    [raw(null), `${invalid}: server does not recognize this encoded version `],
    [Buffer.from('x').toString('base64url'), `${invalid}: invalid character 'x' looking for beginning of value`],
    [Buffer.from('{} {}').toString('base64url'), `${invalid}: invalid character '{' after top-level value`],
    [raw({ v: 1 }), `${invalid}: json: cannot unmarshal number into Go struct field continueToken.v of type string`],
    [raw({ rv: 1.5 }), `${invalid}: json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64`],
    [
      raw({ v: 'meta.k8s.io/v2', rv: 1, start: 'a' }),
      'invalid continue token: continue key is not valid: server does not recognize this encoded version meta.k8s.io/v2',
    ],
    [
      raw({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }),
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      raw({ v: 'meta.k8s.io/v1', rv: 1 }),
      'invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
    ],
    [raw({ v: 'meta.k8s.io/v1', rv: 1, start: '../secrets/a' }), 'invalid continue token: continue key is not valid: ../secrets/a'],
    [raw({ v: 'meta.k8s.io/v1', rv: 1, start: 'a//b' }), /a\/\/b/],
    [raw({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/./b' }), /a\/\.\/b/],
    [raw({ rv: 'x' }), `${invalid}: json: cannot unmarshal string into Go struct field continueToken.rv of type int64`],
  ]
  for (const [token, message] of rows)
    assert.throws(
      () => decodeContinue(token, platform),
      (error) =>
        error instanceof ApiError &&
        error.status.code === 400 &&
        (typeof message === 'string' ? error.message === message : message.test(error.message)),
      token,
    )
  fc.assert(
    fc.property(fc.string(), (token) => {
      assert.throws(() => decodeContinue(token, platform), ApiError)
    }),
  )
})
