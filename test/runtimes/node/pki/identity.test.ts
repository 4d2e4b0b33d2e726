import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostIdentity } from '../../../../runtimes/node/pki/identity.ts'

test('a host has one identity per program, equal to that of kube-apiserver', () => {
  // Computed with another implementation of SHA-256 and base32, following KEP-1965.
  assert.equal(hostIdentity('kube-apiserver', 'node-1'), 'apiserver-lgabes5ywnaqeagh5dny4zlzs4')
  assert.equal(hostIdentity('kube-apiserver', 'x'.repeat(300)), 'apiserver-hbcatrb5puae2jjbhwvkgkaqt4')
  assert.equal(hostIdentity('kube-apiserver', 'žofie'), 'apiserver-teg4hrtpxj7vt2yzpfts4t62xu')
  assert.notEqual(hostIdentity('apiserver', 'node-1'), hostIdentity('kube-apiserver', 'node-1'))
  assert.match(hostIdentity('apiserver'), /^apiserver-[a-z2-7]{26}$/)
})
