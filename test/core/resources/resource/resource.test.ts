import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causesOf, startServer, tables, withChanges } from '../support.ts'

const client = startServer()
const apiVersion = 'resource.k8s.io/v1'
const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } }
const at = 'spec.devices.requests[0]'
const ways = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`'

tables(
  client,
  {
    path: `/apis/${apiVersion}/namespaces/default/resourceclaims`,
    manifest: { apiVersion, kind: 'ResourceClaim', metadata: { name: 'c' }, spec },
  },
  {
    stored: [
      ['amount', {}, { spec: { devices: { requests: [{ exactly: { allocationMode: 'ExactCount', count: 1 } }] } } }],
      [
        'all',
        { 'spec.devices.requests.0.exactly.allocationMode': 'All' },
        { spec: { devices: { requests: [{ exactly: { allocationMode: 'All', count: undefined } }] } } },
      ],
    ],
    refused: [
      ['no class', { 'spec.devices.requests.0.exactly.deviceClassName': '' }, [`${at}.exactly.deviceClassName: Required value`]],
      [
        'no devices',
        { 'spec.devices.requests.0.exactly': undefined },
        [`${at}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`],
      ],
      [
        'duplicate request name',
        { 'spec.devices.requests': [spec.devices.requests[0], spec.devices.requests[0]] },
        ['spec.devices.requests[1]: Duplicate value: "gpu"'],
      ],
      [
        'constraint on an unknown request',
        { 'spec.devices.constraints': [{ requests: ['x'], matchAttribute: 'a.io/b' }] },
        [
          'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
        ],
      ],
      [
        'constraint without attribute',
        { 'spec.devices.constraints': [{ requests: ['gpu'] }, { matchAttribute: 'memory' }] },
        [
          'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
          'spec.devices.constraints[1].matchAttribute: Invalid value: "memory": a fully qualified name must be a domain and a name separated by a slash',
        ],
      ],
      [
        'configuration without a driver',
        { 'spec.devices.config': [{ requests: ['gpu'] }, { opaque: { driver: 'a.io', parameters: [] } }] },
        [
          'spec.devices.config[0].opaque: Required value',
          'spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
        ],
      ],
      [
        'a selector without conditions',
        { 'spec.devices.requests.0.exactly.selectors': [{}] },
        [`${at}.exactly.selectors[0].cel: Required value`],
      ],
      [
        'a toleration value with the operator Exists',
        { 'spec.devices.requests.0.exactly.tolerations': [{ key: 'a', operator: 'Exists', value: 'b' }] },
        [`${at}.exactly.tolerations[0].value: Invalid value: "b": must be empty for operator \`Exists\``],
      ],
    ],
  },
)

tables(
  client,
  {
    path: `/apis/${apiVersion}/resourceslices`,
    manifest: {
      apiVersion,
      kind: 'ResourceSlice',
      metadata: { name: 's' },
      spec: { driver: 'gpu.example.com', nodeName: 'n1', pool: { name: 'n1', generation: 1, resourceSliceCount: 1 } },
    },
  },
  {
    refused: [
      [
        'no nodes',
        { 'spec.nodeName': undefined },
        ['spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'],
      ],
      [
        'resourceSliceCount of 0',
        { 'spec.pool.resourceSliceCount': 0 },
        ['spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero'],
      ],
      [
        'two node selections',
        { 'spec.allNodes': true },
        [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": exactly one of ${ways} is required, but multiple fields are set`],
      ],
      ['allNodes false', { 'spec.allNodes': false }, ['spec.allNodes: Invalid value: false: must be either unset or set to true']],
      [
        'devices and counters',
        { 'spec.devices': [{ name: 'a' }], 'spec.sharedCounters': [{ name: 'c', counters: { n: { value: '1' } } }] },
        ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
      ],
      ['counter set without counters', { 'spec.sharedCounters': [{ name: 'c' }] }, ['spec.sharedCounters[0].counters: Required value']],
      ['duplicate device', { 'spec.devices': [{ name: 'a' }, { name: 'a' }] }, ['spec.devices[1]: Duplicate value: "a"']],
      [
        'attribute with two types',
        { 'spec.devices': [{ name: 'a', attributes: { x: { int: 1, bool: true } } }] },
        [
          'spec.devices[0].attributes[x]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
        ],
      ],
      [
        'attribute without a type',
        { 'spec.devices': [{ name: 'a', attributes: { x: {} } }] },
        ['spec.devices[0].attributes[x]: Invalid value: "": exactly one value must be specified'],
      ],
      [
        'an invalid version attribute',
        { 'spec.devices': [{ name: 'a', attributes: { 'a.io/x': { version: '1.2' } } }] },
        ['spec.devices[0].attributes[a.io/x].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0'],
      ],
      [
        'node selection of a device in a slice of one node',
        { 'spec.devices': [{ name: 'a', nodeName: 'n' }] },
        [
          'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
        ],
      ],
      [
        'a request policy without allowMultipleAllocations',
        { 'spec.devices': [{ name: 'a', capacity: { m: { value: '4', requestPolicy: { default: '1', validValues: ['1'] } } } }] },
        ['spec.devices[0].capacity[m].requestPolicy: Forbidden: allowMultipleAllocations must be true'],
      ],
      [
        'a request policy that does not match the capacity',
        {
          'spec.devices': [
            {
              name: 'a',
              allowMultipleAllocations: true,
              capacity: { m: { value: '4', requestPolicy: { default: '3', validValues: ['2', '1', '8'] } } },
            },
          ],
        },
        [
          'spec.devices[0].capacity[m].requestPolicy.validValues[1]: Invalid value: "1": values must be sorted in ascending order',
          'spec.devices[0].capacity[m].requestPolicy.validValues[2]: Invalid value: "8": option is larger than capacity value: 4',
          'spec.devices[0].capacity[m].requestPolicy.validValues: Invalid value: "3": default value is not valid according to the requestPolicy',
        ],
      ],
      [
        'a range that is no multiple of the step',
        {
          'spec.devices': [
            {
              name: 'a',
              allowMultipleAllocations: true,
              capacity: { m: { value: '9', requestPolicy: { default: '4', validRange: { min: '1', max: '7', step: '2' } } } },
            },
          ],
        },
        [
          'spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: "4": value is not a multiple of a given step (2) from (1)',
        ],
      ],
      [
        'bindingConditions without bindingFailureConditions',
        { 'spec.devices': [{ name: 'a', bindingConditions: ['ready'] }] },
        ['spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions'],
      ],
    ],
    updates: [['driver', { 'spec.driver': 'other.example.com' }, ['spec.driver: Invalid value: "other.example.com": field is immutable']]],
  },
)

test('a claim can be reserved only when allocated, and its allocation is immutable', async () => {
  const { send } = await client
  const path = `/apis/${apiVersion}/namespaces/default/resourceclaims`
  const made = await send('POST', path, { apiVersion, kind: 'ResourceClaim', metadata: { name: 'state' }, spec })
  assert.equal(made.code, 201, JSON.stringify(made.body))
  const consumer = { resource: 'pods', name: 'p', uid: 'u' }
  const result = { request: 'gpu', driver: 'gpu.example.com', pool: 'n1', device: 'd1' }
  const put = (status: object) =>
    send('PUT', `${path}/state/status`, withChanges(made.body, { status, 'metadata.resourceVersion': undefined }))
  assert.deepEqual(causesOf(await put({ reservedFor: [consumer] })), [
    'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
  ])
  assert.deepEqual(causesOf(await put({ allocation: { devices: { results: [{ ...result, request: 'other', driver: '' }] } } })), [
    'status.allocation.devices.results[0].request: Invalid value: "other": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
    'status.allocation.devices.results[0].driver: Required value',
  ])
  const allocation = { devices: { results: [result] } }
  const allocated = await put({ allocation, reservedFor: [consumer], devices: [{ driver: 'gpu.example.com', pool: 'n1', device: 'd1' }] })
  assert.equal(allocated.code, 200, JSON.stringify(allocated.body))
  const other = await put({ allocation: { devices: { results: [{ ...result, device: 'd2' }] } } })
  assert.match(causesOf(other).join(), /^status\.allocation: Invalid value: .*: field is immutable$/)
  assert.deepEqual(causesOf(await put({ allocation, devices: [{ driver: 'gpu.example.com', pool: 'n1', device: 'd9' }] })), [
    'status.devices[0]: Invalid value: {"Driver":"gpu.example.com","Pool":"n1","Device":"d9","ShareID":""}: must be an allocated device in the claim',
  ])
})

tables(
  client,
  {
    path: `/apis/${apiVersion}/deviceclasses`,
    manifest: { apiVersion, kind: 'DeviceClass', metadata: { name: 'c' }, spec: { selectors: [{ cel: { expression: 'true' } }] } },
  },
  {
    stored: [
      [
        'an expression that binds a name',
        { 'spec.selectors.0.cel.expression': "cel.bind(dra, device.attributes['a.example.com'], dra.big && dra.model == 'x')" },
        {},
      ],
      ['an attribute', { 'spec.selectors.0.cel.expression': "device.attributes['a.example.com'].big" }, {}],
    ],
    refused: [
      [
        'an undeclared variable',
        { 'spec.selectors.0.cel.expression': 'x' },
        [
          "spec.selectors[0].cel.expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
        ],
      ],
      [
        'a result of another type',
        { 'spec.selectors.0.cel.expression': '0' },
        ['spec.selectors[0].cel.expression: Invalid value: "0": must evaluate to bool or the unknown type, not int'],
      ],
      [
        'an expensive expression',
        {
          'spec.selectors.0.cel.expression':
            'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a + b + c == d))))',
        },
        ['spec.selectors[0].cel.expression: Forbidden: too complex, exceeds cost limit'],
      ],
    ],
  },
)
