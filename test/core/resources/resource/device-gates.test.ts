/** Attributes and mappings of devices, and requests of pool states, that are behind feature gates which are off by default. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allGates, causesOf, startServer, tables, withChanges } from '../support.ts'

const client = startServer({ gates: allGates })
const device = 'spec.devices[0]'
const sliceOf = (version: string) => ({
  apiVersion: `resource.k8s.io/${version}`,
  kind: 'ResourceSlice',
  metadata: { name: 's' },
  spec: { driver: 'gpu.example.com', nodeName: 'n1', pool: { name: 'n1', generation: 1, resourceSliceCount: 1 } },
})
const withAttribute = (x: object) => ({ 'spec.devices': [{ name: 'a', attributes: { x } }] })
const withMapping = (name: string, mapping: object) => ({
  'spec.devices': [{ name: 'a', capacity: { memory: { value: '1Gi' } }, nodeAllocatableResourceMappings: { [name]: mapping } }],
})
const one = 'exactly one value must be specified'

tables(
  client,
  { path: '/apis/resource.k8s.io/v1/resourceslices', manifest: sliceOf('v1') },
  {
    stored: [
      ['a list', withAttribute({ ints: [1, 2] }), {}],
      ['a mapping', withMapping('memory', { capacityKey: 'memory', allocationMultiplier: '2' }), {}],
    ],
    refused: [
      ...['bools', 'ints', 'strings', 'versions'].map(
        (name) =>
          [
            `empty list: ${name}`,
            withAttribute({ [name]: [] }),
            [`${device}.attributes[x].${name}: Invalid value: []: must not be empty if specified`],
          ] as const,
      ),
      [
        'two empty lists',
        withAttribute({ bools: [], ints: [] }),
        [
          `${device}.attributes[x].bools: Invalid value: []: must not be empty if specified`,
          `${device}.attributes[x].ints: Invalid value: []: must not be empty if specified`,
          `${device}.attributes[x]: Invalid value: {"IntValue":null,"BoolValue":null,"StringValue":null,"VersionValue":null,"IntValues":[],"BoolValues":[],"StringValues":null,"VersionValues":null}: ${one}`,
        ],
      ],
      [
        'too many values',
        withAttribute({ ints: Array.from({ length: 49 }, (_, n) => n) }),
        [`${device}: Invalid value: 49: the total number of attribute values must not exceed 48`],
      ],
      [
        'too many devices with lists',
        {
          'spec.devices': Array.from({ length: 65 }, (_, n) => ({ name: `d${n}`, attributes: n === 0 ? { x: { ints: [1] } } : {} })),
        },
        ['spec.devices: Too many: 65: must have at most 64 items'],
      ],
      [
        'mapping of another resource',
        withMapping('example.com/gpu', { capacityKey: 'memory' }),
        [
          `${device}.nodeAllocatableResourceMappings[example.com/gpu]: Invalid value: "example.com/gpu": must be a node allocatable resource name`,
        ],
      ],
      [
        'mapping by zero',
        withMapping('cpu', { allocationMultiplier: '0' }),
        [`${device}.nodeAllocatableResourceMappings[cpu].allocationMultiplier: Invalid value: "0": must be positive`],
      ],
      [
        'mapping of no capacity',
        withMapping('cpu', { capacityKey: '' }),
        [`${device}.nodeAllocatableResourceMappings[cpu].capacityKey: Invalid value: "": capacityKey must not be an empty string`],
      ],
      [
        'mapping of an unknown capacity',
        withMapping('cpu', { capacityKey: 'x' }),
        [`${device}.nodeAllocatableResourceMappings[cpu].capacityKey: Not found: "x"`],
      ],
    ],
  },
)

test('lists that were given as empty ones are known after conversion from v1beta1, too', async () => {
  const { send } = await client
  const path = '/apis/resource.k8s.io/v1beta1/resourceslices?dryRun=All'
  const causes = async (changes: { [path: string]: unknown }) =>
    causesOf(await send('POST', path, withChanges(sliceOf('v1beta1'), changes)))
  assert.deepEqual(await causes({ 'spec.devices': [{ name: 'a', basic: {} }], 'spec.sharedCounters': [] }), [
    'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
  ])
  assert.deepEqual(await causes({ 'spec.devices': [{ name: 'a', basic: { attributes: { x: { ints: [] } } } }] }), [
    `${device}.attributes[x].ints: Invalid value: []: must not be empty if specified`,
  ])
})

test('errors of decoding name the types of the version', async () => {
  const { send } = await client
  for (const version of ['v1', 'v1beta2']) {
    const path = `/apis/resource.k8s.io/${version}/resourceslices?dryRun=All`
    const message = async (changes: { [path: string]: unknown }) =>
      (await send('POST', path, withChanges(sliceOf(version), changes))).body['message']
    assert.match(
      String(await message({ 'spec.devices': [{ name: 'a', taints: [{ effect: 1 }] }] })),
      new RegExp(`of type ${version}\\.DeviceTaintEffect$`),
    )
    assert.match(String(await message({ 'spec.pool': 'x' })), new RegExp(`of type ${version}\\.ResourcePool$`))
    assert.match(
      String(await message({ 'spec.devices': [{ name: 'a', attributes: [] }] })),
      new RegExp(`of type map\\[${version}\\.QualifiedName\\]${version}\\.DeviceAttribute$`),
    )
  }
})

const subdomain =
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const requests = '/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests'
const request = {
  apiVersion: 'resource.k8s.io/v1alpha3',
  kind: 'ResourcePoolStatusRequest',
  metadata: { name: 'r' },
  spec: { driver: 'Gpu.example.com' },
}

tables(
  client,
  { path: requests, manifest: request },
  {
    stored: [['without changes', {}, { spec: { limit: 100 } }]],
    refused: [
      ['no driver', { 'spec.driver': '' }, ['spec.driver: Required value']],
      ['driver with other characters', { 'spec.driver': 'a_b' }, [`spec.driver: Invalid value: "a_b": ${subdomain}`]],
      ['empty segment', { 'spec.poolName': 'a//b' }, ['spec.poolName: Invalid value: "a//b": segment 1: must not be empty']],
      ['limit of 0', { 'spec.limit': 0 }, ['spec.limit: Invalid value: 0: must be greater than or equal to 1']],
      ['limit of 1001', { 'spec.limit': 1001 }, ['spec.limit: Invalid value: 1001: must be less than or equal to 1000']],
    ],
    updates: [['another limit', { 'spec.limit': 5 }, ['spec: Invalid value: null: field is immutable']]],
  },
)

test('the status of a ResourcePoolStatusRequest is set once', async () => {
  const { send } = await client
  const made = await send('POST', requests, withChanges(request, { 'metadata.name': 'status' }))
  const put = (status: object, version = made.body.metadata['resourceVersion']) =>
    send('PUT', `${requests}/status/status`, { ...made.body, metadata: { name: 'status', resourceVersion: version }, status })
  assert.deepEqual(causesOf(await put({ pools: [{ driver: 'a', poolName: 'b', totalDevices: -1 }] })), [
    'status.poolCount: Required value',
    'status.pools[0].generation: Required value',
    'status.pools[0].totalDevices: Invalid value: -1: must be greater than or equal to 0',
  ])
  const set = await put({ poolCount: 0 })
  assert.equal(set.code, 200, JSON.stringify(set.body))
  const again = await put({ poolCount: 1 }, set.body.metadata['resourceVersion'])
  assert.equal(again.code, 422)
  assert.match(String(again.body['message']), /field is immutable/)
})
