import { type Json, refusedCases, storedCases, updatedCases, withServer } from './harness.ts'

withServer()
const inDefault = (plural: string) => `/api/v1/namespaces/default/${plural}`

const claims = inDefault('persistentvolumeclaims')
const claim = (spec: Json = {}): Json => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})
storedCases(claims, [
  ['defaults', claim(), { 'spec.volumeMode': 'Filesystem', 'spec.storageClassName': undefined, status: { phase: 'Pending' } }],
  [
    'data sources',
    claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } }),
    { 'spec.dataSourceRef': { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'a' } },
  ],
])
refusedCases(claims, [
  ['no access modes', claim({ accessModes: [] }), 'spec.accessModes: Required value: at least 1 access mode is required'],
  [
    'an unknown access mode',
    claim({ accessModes: ['X'] }),
    'spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
  ],
  [
    'ReadWriteOncePod with others',
    claim({ accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'] }),
    'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
  ],
  ['no size', claim({ resources: {} }), 'spec.resources[storage]: Required value'],
  [
    'a size of 0',
    claim({ resources: { requests: { storage: '0' } } }),
    'spec.resources[storage]: Invalid value: "0": must be greater than zero',
  ],
  ['an unknown mode', claim({ volumeMode: 'X' }), 'spec.volumeMode: Unsupported value: "X": supported values: "Block", "Filesystem"'],
  [
    'different dataSource and dataSourceRef',
    claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'a' }, dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' } }),
    'spec: Invalid value: {}: must match dataSourceRef',
  ],
])
updatedCases(claims, [
  ['a volume', claim(), { spec: { volumeName: 'v' } }],
  [
    'another volume',
    claim({ volumeName: 'v' }),
    { spec: { volumeName: 'w' } },
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
  ],
  ['a class', claim(), { spec: { storageClassName: 'fast' } }],
  [
    'another class',
    claim({ storageClassName: 'slow' }),
    { spec: { storageClassName: 'fast' } },
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
  ],
  [
    'more storage for an unbound claim',
    claim(),
    { spec: { resources: { requests: { storage: '2Gi' } } } },
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
  ],
])

const volumes = '/api/v1/persistentvolumes'
const volume = (spec: Json = {}): Json => ({
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/d' }, ...spec },
})
storedCases(volumes, [
  [
    'defaults',
    volume(),
    {
      'spec.volumeMode': 'Filesystem',
      'spec.persistentVolumeReclaimPolicy': 'Retain',
      'spec.hostPath': { path: '/d', type: '' },
      'status.phase': 'Pending',
    },
  ],
])
refusedCases(volumes, [
  [
    'nothing',
    { spec: {} },
    'spec.accessModes: Required value',
    'spec.capacity: Required value',
    'spec.capacity: Unsupported value: null: supported values: "storage"',
    'spec: Required value: must specify a volume type',
  ],
  ['two sources', volume({ nfs: { server: 's', path: '/x' } }), 'spec.nfs: Forbidden: may not specify more than 1 volume type'],
  ['a size of 0', volume({ capacity: { storage: '0' } }), 'spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
  [
    'a local volume without node affinity',
    volume({ hostPath: undefined, local: { path: '/x' } }),
    'spec.nodeAffinity: Required value: Local volume requires node affinity',
  ],
  [
    'recycling of the root directory',
    volume({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
  ],
  [
    'a CSI volume without handle',
    volume({ hostPath: undefined, csi: { driver: 'd.example.com', volumeHandle: '' } }),
    'spec.csi.volumeHandle: Required value',
  ],
])
updatedCases(volumes, [
  [
    'another path',
    volume(),
    { spec: { hostPath: { path: '/e' } } },
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
  ],
  ['more', volume(), { spec: { capacity: { storage: '2Gi' } } }],
  ['another mode', volume(), { spec: { volumeMode: 'Block' } }, 'volumeMode: Invalid value: "Block": field is immutable'],
])

const nodes = '/api/v1/nodes'
storedCases(nodes, [
  ['address ranges', { spec: { podCIDR: '10.0.0.0/24' } }, { 'spec.podCIDRs': ['10.0.0.0/24'], 'spec.podCIDR': '10.0.0.0/24' }],
  ['allocatable resources', { status: { capacity: { cpu: '4' } } }, { 'status.allocatable': { cpu: '4' } }],
])
const alpha = 'scheduler.alpha.kubernetes.io'
const annotatedNode = (name: string, text: string): Json => ({ metadata: { annotations: { [`${alpha}/${name}`]: text } } })
refusedCases(nodes, [
  [
    'pods to avoid that are not JSON',
    annotatedNode('preferAvoidPods', 'garbage'),
    `metadata.annotations.AvoidPods: Invalid value: "${alpha}/preferAvoidPods": invalid character 'g' looking for beginning of value`,
  ],
  [
    'pods to avoid since a time that is none',
    annotatedNode('preferAvoidPods', '{"preferAvoidPods":[{"evictionTime":"x"}]}'),
    `metadata.annotations.AvoidPods: Invalid value: "${alpha}/preferAvoidPods": parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`,
  ],
  [
    'pods to avoid without controller',
    annotatedNode('preferAvoidPods', '{"preferAvoidPods":[{"podSignature":{}},{"podSignature":{"podController":{"controller":false}}}]}'),
    `metadata.annotations.${alpha}/preferAvoidPods[0].PodSignature: Required value`,
    `metadata.annotations.${alpha}/preferAvoidPods[1].PodSignature.PodController.Controller: Invalid value: false: must point to a controller`,
  ],
  [
    'taints in an annotation without effect',
    annotatedNode('taints', '[{"key":"a"}]'),
    `metadata.annotations.${alpha}/taints[0].effect: Required value`,
  ],
])
refusedCases(nodes, [
  ['a taint without effect', { spec: { taints: [{ key: 'a', effect: '' }] } }, 'metadata.taints[0].effect: Required value'],
  [
    'duplicate taints',
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoExecute' },
          { key: 'a', effect: 'NoExecute' },
        ],
      },
    },
    'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
  ],
  [
    'two CIDRs of one IP family',
    { spec: { podCIDRs: ['10.0.0.0/24', '10.0.1.0/24'] } },
    'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one CIDR for each IP family',
  ],
])
updatedCases(nodes, [
  ['an address range', {}, { spec: { podCIDR: '10.0.0.0/24' } }],
  [
    'another address range',
    { spec: { podCIDR: '10.0.0.0/24' } },
    { spec: { podCIDR: '10.0.1.0/24', podCIDRs: ['10.0.1.0/24'] } },
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
  ],
  [
    'another provider',
    { spec: { providerID: 'a://b' } },
    { spec: { providerID: 'a://c' } },
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  ],
])

const controllers = inDefault('replicationcontrollers')
const template = (spec: Json = {}): Json => ({
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec },
})
storedCases(controllers, [
  [
    'defaults',
    { spec: { template: template() } },
    { 'spec.replicas': 1, 'spec.selector': { a: 'b' }, 'metadata.labels': { a: 'b' }, 'spec.template.spec.dnsPolicy': 'ClusterFirst' },
  ],
])
refusedCases(controllers, [
  ['no template', { spec: {} }, 'spec.selector: Required value', 'spec.template: Required value'],
  [
    'a selector that does not match the template',
    { spec: { selector: { a: 'c' }, template: template() } },
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  ],
  [
    'restartPolicy Never',
    { spec: { template: template({ restartPolicy: 'Never' }) } },
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
])

const limits = inDefault('limitranges')
storedCases(limits, [
  [
    'defaults',
    { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] } },
    {
      'spec.limits': [
        {
          type: 'Container',
          max: { cpu: '2' },
          min: { memory: '1Mi' },
          default: { cpu: '2' },
          defaultRequest: { cpu: '2', memory: '1Mi' },
        },
      ],
    },
  ],
])
refusedCases(limits, [
  [
    'defaults of pods',
    { spec: { limits: [{ type: 'Pod', default: { cpu: '1' } }] } },
    "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
  ],
  [
    'a minimum above the maximum',
    { spec: { limits: [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }] } },
    'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
  ],
  ['duplicate types', { spec: { limits: [{ type: 'Pod' }, { type: 'Pod' }] } }, 'spec.limits[1].type: Duplicate value: "Pod"'],
  [
    'a PersistentVolumeClaim limit without min and max',
    { spec: { limits: [{ type: 'PersistentVolumeClaim' }] } },
    'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
  ],
])

const quotas = inDefault('resourcequotas')
refusedCases(quotas, [
  [
    'an unknown resource',
    { spec: { hard: { foo: '1' } } },
    'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
    'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota',
  ],
  ['a fractional number of pods', { spec: { hard: { pods: '500m' } } }, 'spec.hard[pods]: Invalid value: "500m": must be an integer'],
  [
    'contradicting scopes',
    { spec: { scopes: ['BestEffort', 'NotBestEffort'] } },
    'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
  ],
  [
    'a scope that does not match the resource',
    { spec: { hard: { cpu: '1' }, scopes: ['BestEffort'] } },
    'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
  ],
])
updatedCases(quotas, [
  ['amounts', { spec: { hard: { pods: '1' } } }, { spec: { hard: { pods: '2' } } }],
  [
    'scopes',
    { spec: { scopes: ['BestEffort'] } },
    { spec: { scopes: ['Terminating'] } },
    'spec.scopes: Invalid value: ["Terminating"]: field is immutable',
  ],
])

refusedCases(inDefault('endpoints'), [
  ['no addresses', { subsets: [{ ports: [{ port: 80 }] }] }, 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  [
    'loopback',
    { subsets: [{ addresses: [{ ip: '127.0.0.1' }] }] },
    'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    'two ports without names',
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }, { port: 81 }] }] },
    'subsets[0].ports[0].name: Required value',
    'subsets[0].ports[1].name: Required value',
  ],
])
storedCases(inDefault('endpoints'), [
  [
    'protocol',
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
    { 'subsets.0.ports': [{ port: 80, protocol: 'TCP' }] },
  ],
])

refusedCases(inDefault('events'), [
  [
    'an object in another namespace',
    { involvedObject: { namespace: 'other' } },
    'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
  ],
  [
    'eventTime without reporting controller',
    { involvedObject: { namespace: 'default' }, eventTime: '2026-01-01T00:00:00.000000Z', reason: 'R', action: 'A' },
    'reportingComponent: Required value',
    `reportingComponent: Invalid value: "": name part must be non-empty`,
    `reportingComponent: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    'reportingInstance: Required value',
  ],
])

refusedCases(inDefault('podtemplates'), [
  ['no containers', { template: { spec: { containers: [] } } }, 'template.spec.containers: Required value'],
])
