import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BindingObject, RbacIndex, type RoleObject } from '../../../../core/access/authz/rbac-index.ts'
import { onResource } from './attributes.ts'

/** A role and a binding to a user, which note when they are read. */
function noted(reads: string[], user: string): readonly [RoleObject, BindingObject] {
  const role = {
    metadata: { name: `role-of-${user}` },
    get rules() {
      reads.push(`role-of-${user}`)
      return [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]
    },
  }
  const binding = {
    metadata: { name: `binding-of-${user}` },
    roleRef: { kind: 'ClusterRole', name: `role-of-${user}` },
    get subjects() {
      reads.push(`binding-of-${user}`)
      return [{ kind: 'User', name: user }]
    },
  }
  return [role, binding]
}

const isAllowed = (index: RbacIndex, user: string) => 'allowedBy' in index.decide(onResource(user, 'get', 'pods', 'team', 'x'))

test('roles and bindings are read when a decision needs them, and once', () => {
  const reads: string[] = []
  const index = new RbacIndex('rbac')
  for (const user of ['jane', 'joe', 'gone']) {
    const [role, binding] = noted(reads, user)
    index.upsertRole(role)
    index.upsertBinding(binding)
  }
  index.removeRole('', 'role-of-gone')
  index.removeBinding('', 'binding-of-gone')
  assert.deepEqual(reads, [])
  for (let times = 0; times < 2; times++) {
    assert.equal(isAllowed(index, 'jane'), true)
    assert.equal(isAllowed(index, 'gone'), false)
    assert.deepEqual(reads, ['binding-of-jane', 'binding-of-joe', 'role-of-jane'])
  }
})

test('a binding that is written twice before a decision counts as it is at last', () => {
  const index = new RbacIndex('rbac')
  const [role, binding] = noted([], 'jane')
  index.upsertRole(role)
  index.upsertBinding(binding)
  index.upsertBinding({ metadata: binding.metadata, roleRef: binding.roleRef, subjects: [{ kind: 'User', name: 'joe' }] })
  assert.equal(isAllowed(index, 'jane'), false)
  assert.equal(isAllowed(index, 'joe'), true)
})

test('of many bindings, no more than 1,000 wait for the first decision', () => {
  const reads: string[] = []
  const index = new RbacIndex('rbac')
  for (let at = 0; at < 2_500; at++) index.upsertBinding(noted(reads, `user${at}`)[1])
  assert.equal(reads.length, 2_002)
})
