import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFlags } from '../../../core/flags/parse.ts'
import { serversOverrides } from '../../../core/flags/store-overrides.ts'
import { uncachedResources } from '../../../core/flags/watch-cache-sizes.ts'

const parse = (flag: string) => parseFlags([flag], 'apiserver')

test('--watch-cache-sizes: only zero has an effect, and the last item of a resource takes precedence', () => {
  const items = parse('--watch-cache-sizes=pods#0,deployments.apps#0,leases.coordination.k8s.io#0,nodes#100,pods#5').get(
    'watch-cache-sizes',
  )
  assert.deepEqual(uncachedResources(items), [
    { group: 'apps', resource: 'deployments' },
    { group: 'coordination.k8s.io', resource: 'leases' },
  ])
  const bad: { readonly [item: string]: string } = {
    pods: 'must be resource[.group]#size',
    'pods#1#2': 'must be resource[.group]#size',
    '#1': 'must be resource[.group]#size',
    'pods#many': 'size must be a number',
    'pods#-1': 'size must not be negative',
  }
  for (const [item, why] of Object.entries(bad))
    assert.throws(() => parse(`--watch-cache-sizes=${item}`), { message: `--watch-cache-sizes: invalid value "${item}": ${why}` })
})

test('--kvstore-servers-overrides: one store for each set of servers', () => {
  const text = '/events#http://a:1;http://b:2,apps/deployments#http://c:3,coordination.k8s.io/leases#http://b:2;http://a:1'
  assert.deepEqual(serversOverrides(parse(`--kvstore-servers-overrides=${text}`).get('kvstore-servers-overrides')), [
    {
      servers: ['http://a:1', 'http://b:2'],
      resources: [
        { group: '', resource: 'events' },
        { group: 'coordination.k8s.io', resource: 'leases' },
      ],
    },
    { servers: ['http://c:3'], resources: [{ group: 'apps', resource: 'deployments' }] },
  ])
  for (const item of [
    'events#http://a:1',
    '/events',
    '/events#',
    '/events#http://a:1;',
    '/events#a:1',
    '/events#http://a:1#http://b:2',
    'a/b/c#http://a:1',
  ])
    assert.throws(
      () => parse(`--kvstore-servers-overrides=${item}`),
      /--kvstore-servers-overrides: invalid value .*: must be group\/resource#url;url$/,
    )
})
