import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'resource.k8s.io/v1'
const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }] } }
const at = 'spec.devices.requests[0]'

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
        'name twice',
        { 'spec.devices.requests': [spec.devices.requests[0], spec.devices.requests[0]] },
        ['spec.devices.requests[1].name: Duplicate value: "gpu"'],
      ],
      [
        'constraint on nothing',
        { 'spec.devices.constraints': [{ requests: ['x'], matchAttribute: 'a.io/b' }] },
        [
          'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
        ],
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
        'no slices in the pool',
        { 'spec.pool.resourceSliceCount': 0 },
        ['spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero'],
      ],
    ],
    updates: [['driver', { 'spec.driver': 'other.example.com' }, ['spec.driver: Invalid value: "other.example.com": field is immutable']]],
  },
)
