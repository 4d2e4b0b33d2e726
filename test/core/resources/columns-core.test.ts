import { testColumns } from './columns-table.ts'

const deletionTimestamp = '2026-01-01T00:59:00Z'
const web = { port: 80, protocol: 'TCP' }
const service = (spec: object, ingress: object[] = []) => ({
  spec: { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'], ports: [web], ...spec },
  status: { loadBalancer: { ingress } },
})

testColumns(
  'v1',
  'services',
  ['Name!', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', '+Selector'],
  [
    [service({ type: 'ClusterIP', selector: { b: '2', a: '1' } }), 'ClusterIP', '10.0.0.7', '<none>', '80/TCP', '10m', 'a=1,b=2'],
    [
      service({ type: 'ClusterIP', externalIPs: ['1.1.1.1', '2.2.2.2'] }),
      'ClusterIP',
      '10.0.0.7',
      '1.1.1.1,2.2.2.2',
      '80/TCP',
      '10m',
      '<none>',
    ],
    [
      service({ type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'], ports: [] }),
      'ClusterIP',
      'None',
      '<none>',
      '<none>',
      '10m',
      '<none>',
    ],
    [
      service({
        type: 'NodePort',
        ports: [
          { ...web, nodePort: 30080 },
          { port: 53, protocol: 'UDP' },
        ],
      }),
      'NodePort',
      '10.0.0.7',
      '<none>',
      '80:30080/TCP,53/UDP',
      '10m',
      '<none>',
    ],
    [service({ type: 'LoadBalancer' }), 'LoadBalancer', '10.0.0.7', '<pending>', '80/TCP', '10m', '<none>'],
    [
      service({ type: 'LoadBalancer' }, [{ ip: '9.9.9.9' }, { hostname: 'lb.example.com' }, { ip: '8.8.8.8' }, { ip: '9.9.9.9' }]),
      'LoadBalancer',
      '10.0.0.7',
      '8.8.8.8,9.9.9.9,lb.example.com',
      '80/TCP',
      '10m',
      '<none>',
    ],
    [
      service({ type: 'LoadBalancer', externalIPs: ['1.1.1.1'] }, [{ ip: '9.9.9.9' }]),
      'LoadBalancer',
      '10.0.0.7',
      '9.9.9.9,1.1.1.1',
      '80/TCP',
      '10m',
      '<none>',
    ],
    [
      { spec: { type: 'ExternalName', externalName: 'db.example.com' } },
      'ExternalName',
      '<none>',
      'db.example.com',
      '<none>',
      '10m',
      '<none>',
    ],
  ],
)

const node = (status: object, labels: object = {}, spec: object = {}) => ({ metadata: { labels }, spec, status })
const ready = (status: string) => ({
  conditions: [
    { type: 'MemoryPressure', status: 'False' },
    { type: 'Ready', status },
  ],
})
const unknown = ['<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'] as const

testColumns(
  'v1',
  'nodes',
  ['Name!', 'Status', 'Roles', 'Age', 'Version', '+Internal-IP', '+External-IP', '+OS-Image', '+Kernel-Version', '+Container-Runtime'],
  [
    [node({}), 'Unknown', '<none>', '10m', '', ...unknown],
    [node(ready('False')), 'NotReady', '<none>', '10m', '', ...unknown],
    [node(ready('Unknown')), 'NotReady', '<none>', '10m', '', ...unknown],
    [node(ready('True'), {}, { unschedulable: true }), 'Ready,SchedulingDisabled', '<none>', '10m', '', ...unknown],
    [node({}, {}, { unschedulable: true }), 'Unknown,SchedulingDisabled', '<none>', '10m', '', ...unknown],
    [
      node(
        {
          ...ready('True'),
          addresses: [
            { type: 'Hostname', address: 'h' },
            { type: 'InternalIP', address: '10.0.0.2' },
            { type: 'InternalIP', address: 'fd00::2' },
            { type: 'ExternalIP', address: '5.5.5.5' },
          ],
          nodeInfo: {
            kubeletVersion: 'v1.36.0',
            osImage: 'Debian',
            kernelVersion: '6.1',
            architecture: 'arm64',
            containerRuntimeVersion: 'containerd://2.0',
          },
        },
        {
          'node-role.kubernetes.io/worker': '',
          'node-role.kubernetes.io/control-plane': '',
          'node-role.kubernetes.io/': '',
          'kubernetes.io/role': 'edge',
        },
      ),
      'Ready',
      'control-plane,edge,worker',
      '10m',
      'v1.36.0',
      '10.0.0.2',
      '5.5.5.5',
      'Debian',
      '6.1 (arm64)',
      'containerd://2.0',
    ],
  ],
)

testColumns(
  'v1',
  'persistentvolumes',
  [
    'Name!',
    'Capacity',
    'Access Modes',
    'Reclaim Policy',
    'Status',
    'Claim',
    'StorageClass',
    'VolumeAttributesClass',
    'Reason',
    'Age',
    '+VolumeMode',
  ],
  [
    [
      {
        spec: {
          capacity: { storage: '5Gi' },
          accessModes: ['ReadWriteMany', 'ReadWriteOncePod', 'ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          claimRef: { namespace: 'ns', name: 'data' },
          storageClassName: 'fast',
          volumeAttributesClassName: 'gold',
          volumeMode: 'Block',
        },
        status: { phase: 'Failed', reason: 'Broken' },
      },
      '5Gi',
      'RWO,ROX,RWX,RWOP',
      'Retain',
      'Failed',
      'ns/data',
      'fast',
      'gold',
      'Broken',
      '10m',
      'Block',
    ],
    [
      {
        metadata: { deletionTimestamp, annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } },
        spec: { storageClassName: 'fast' },
        status: { phase: 'Bound' },
      },
      '0',
      '',
      '',
      'Terminating',
      '',
      'old',
      '<unset>',
      '',
      '10m',
      '<unset>',
    ],
  ],
)

testColumns(
  'v1',
  'persistentvolumeclaims',
  ['Name!', 'Status', 'Volume', 'Capacity', 'Access Modes', 'StorageClass', 'VolumeAttributesClass', 'Age', '+VolumeMode'],
  [
    [
      {
        spec: {
          volumeName: 'pv1',
          accessModes: ['ReadWriteMany'],
          storageClassName: 'fast',
          volumeMode: 'Filesystem',
          volumeAttributesClassName: 'gold',
        },
        status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' } },
      },
      'Bound',
      'pv1',
      '5Gi',
      'RWO',
      'fast',
      'gold',
      '10m',
      'Filesystem',
    ],
    [{ spec: { accessModes: ['ReadWriteOnce'] }, status: { phase: 'Pending' } }, 'Pending', '', '', '', '', '<unset>', '10m', '<unset>'],
    [
      { metadata: { deletionTimestamp }, spec: { volumeName: 'pv1' }, status: { phase: 'Bound' } },
      'Terminating',
      'pv1',
      '0',
      '',
      '',
      '<unset>',
      '10m',
      '<unset>',
    ],
  ],
)

const about = { kind: 'Pod', name: 'web-1', namespace: 'default', fieldPath: 'spec.containers{a}' }
const eventColumns = ['Last Seen', 'Type', 'Reason', 'Object', '+Subobject', '+Source', 'Message', '+First Seen', '+Count', '+Name!']

testColumns('v1', 'events', eventColumns, [
  [
    {
      involvedObject: about,
      type: 'Warning',
      reason: 'BackOff',
      message: ' restarting \n',
      count: 4,
      firstTimestamp: '2026-01-01T00:30:00Z',
      lastTimestamp: '2026-01-01T00:59:00Z',
      source: { component: 'agent', host: 'n1' },
    },
    '60s',
    'Warning',
    'BackOff',
    'pod/web-1',
    'spec.containers{a}',
    'agent, n1',
    'restarting',
    '30m',
    4,
    'object-000',
  ],
  [
    {
      involvedObject: { kind: 'Pod' },
      type: 'Normal',
      reason: 'Scheduled',
      eventTime: '2026-01-01T00:58:00.000000Z',
      reportingComponent: 'scheduler',
      reportingInstance: 's-1',
    },
    '2m',
    'Normal',
    'Scheduled',
    'pod',
    '',
    'scheduler, s-1',
    '',
    '2m',
    1,
    'object-001',
  ],
  [
    {
      involvedObject: about,
      eventTime: '2026-01-01T00:00:00.000000Z',
      series: { count: 7, lastObservedTime: '2026-01-01T00:59:30.000000Z' },
      source: { component: 'agent' },
    },
    '30s',
    '',
    '',
    'pod/web-1',
    'spec.containers{a}',
    'agent',
    '',
    '60m',
    7,
    'object-002',
  ],
  [{ involvedObject: {} }, '<unknown>', '', '', '', '', '', '', '<unknown>', 1, 'object-003'],
])

testColumns(
  'v1',
  'namespaces',
  ['Name!', 'Status', 'Age'],
  [
    [{ status: { phase: 'Active' } }, 'Active', '10m'],
    [{ status: { phase: 'Terminating' }, metadata: { deletionTimestamp } }, 'Terminating', '10m'],
  ],
)

testColumns(
  'v1',
  'configmaps',
  ['Name!', 'Data', 'Age'],
  [
    [{ data: { a: '1', b: '2' }, binaryData: { c: 'AA==' } }, 3, '10m'],
    [{}, 0, '10m'],
  ],
)

testColumns(
  'v1',
  'secrets',
  ['Name!', 'Type', 'Data', 'Age'],
  [
    [{ type: 'Opaque', data: { a: 'AA==' } }, 'Opaque', 1, '10m'],
    [{ type: 'kubernetes.io/tls' }, 'kubernetes.io/tls', 0, '10m'],
  ],
)

testColumns('v1', 'serviceaccounts', ['Name!', 'Age'], [[{ secrets: [{ name: 'a' }, { name: 'b' }] }, '10m']])

const addresses = (...ips: string[]) => ips.map((ip) => ({ ip }))

testColumns(
  'v1',
  'endpoints',
  ['Name!', 'Endpoints', 'Age'],
  [
    [{}, '<none>', '10m'],
    [{ subsets: [{ addresses: addresses('10.0.0.1'), ports: [{ port: 80 }, { port: 443 }] }] }, '10.0.0.1:80,10.0.0.1:443', '10m'],
    [{ subsets: [{ addresses: addresses('fd00::1'), ports: [{ port: 80 }] }] }, '[fd00::1]:80', '10m'],
    [{ subsets: [{ addresses: addresses('10.0.0.1', '10.0.0.2') }] }, '10.0.0.1,10.0.0.2', '10m'],
    [
      { subsets: [{ addresses: addresses('1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4', '1.1.1.5'), ports: [{ port: 1 }] }] },
      '1.1.1.1:1,1.1.1.2:1,1.1.1.3:1 + 2 more...',
      '10m',
    ],
    [{ subsets: [{ notReadyAddresses: addresses('10.0.0.1'), ports: [{ port: 80 }] }] }, '', '10m'],
  ],
)

testColumns(
  'v1',
  'resourcequotas',
  ['Name!', 'Request', 'Limit', 'Age'],
  [
    [
      {
        status: {
          hard: { pods: '10', 'requests.cpu': '4', 'limits.cpu': '8', 'limits.memory': '1Gi', limits: '1' },
          used: { pods: '3', 'limits.cpu': '500m' },
        },
      },
      'limits: 0/1, pods: 3/10, requests.cpu: 0/4',
      'limits.cpu: 500m/8, limits.memory: 0/1Gi',
      '10m',
    ],
    [{ spec: { hard: { pods: '10' } } }, '', '', '10m'],
  ],
)

// Stored as events of the core group.
testColumns('events.k8s.io/v1', 'events', eventColumns, [
  [
    {
      involvedObject: about,
      type: 'Warning',
      reason: 'BackOff',
      message: 'restarting',
      eventTime: '2026-01-01T00:55:00.000000Z',
      reportingComponent: 'agent',
      reportingInstance: 'n1',
    },
    '5m',
    'Warning',
    'BackOff',
    'pod/web-1',
    'spec.containers{a}',
    'agent, n1',
    'restarting',
    '5m',
    1,
    'object-000',
  ],
])
