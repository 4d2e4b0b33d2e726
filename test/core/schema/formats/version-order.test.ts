import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions } from '../../../../core/schema/formats/version-order.ts'

test('stable versions come before beta, alpha and other names', () => {
  const sorted = ['foo10', 'v1alpha2', 'v2', 'v11beta2', 'v10', 'v1', 'v3beta1', 'foo1', 'v12alpha1', 'v10beta3', 'v1beta1'].sort((a, b) =>
    compareVersions(b, a),
  )
  assert.deepEqual(sorted, ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v1beta1', 'v12alpha1', 'v1alpha2', 'foo1', 'foo10'])
})

test('equal versions compare as equal', () => {
  assert.equal(compareVersions('v1beta1', 'v1beta1'), 0)
  assert.equal(compareVersions('x', 'x'), 0)
})
