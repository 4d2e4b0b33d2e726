import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rbacAuthorizer } from '../../../../core/access/authz/rbac.ts'
import { RbacIndex } from '../../../../core/access/authz/rbac-index.ts'
import { processorTime } from '../../../support/cost.ts'
import { onResource } from './attributes.ts'

function filled(bindings: number, roles: number): RbacIndex {
  const index = new RbacIndex('rbac')
  for (let number = 0; number < roles; number++) {
    const resources = [`r${number}`, `r${number}/status`]
    index.upsertRole({ metadata: { name: `role${number}` }, rules: [{ verbs: ['get', 'list'], apiGroups: ['example.com'], resources }] })
  }
  for (let number = 0; number < bindings; number++) {
    index.upsertBinding({
      metadata: { name: `b${number}`, ...(number % 2 === 0 && { namespace: `ns${number % 100}` }) },
      roleRef: { kind: 'ClusterRole', name: `role${number % roles}` },
      subjects: [
        { kind: 'User', name: `user${number}` },
        { kind: 'Group', name: `group${number}` },
      ],
    })
  }
  return index
}

async function rate(index: RbacIndex): Promise<number> {
  const authorizer = rbacAuthorizer(index)
  const yes = onResource('user3+group1+system:authenticated', 'get', 'r3.example.com', 'ns2', 'x')
  const no = onResource('user4+group2+system:authenticated', 'delete', 'r9.example.com', 'ns4', 'x')
  const run = (count: number) => {
    for (let number = 0; number < count; number += 2) {
      authorizer.authorize(yes, undefined)
      authorizer.authorize(no, undefined)
    }
  }
  run(50_000)
  const rates: number[] = []
  for (let tries = 0; tries < 5; tries++) rates.push(60_000 / ((await processorTime(() => run(60_000))).milliseconds / 1000))
  return Math.max(...rates)
}

test('a decision costs the same with 10,000 bindings as with 10', async (t) => {
  const few = await rate(filled(10, 10))
  const many = await rate(filled(10_000, 2_000))
  t.diagnostic(`decisions per second: ${Math.round(few)} with 10 bindings, ${Math.round(many)} with 10,000`)
  assert.ok(many > few / 5, `${many} per second with 10,000 bindings, ${few} with 10`)
})
