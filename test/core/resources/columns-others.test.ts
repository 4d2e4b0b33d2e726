import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableWriter } from '../../../core/answers/table.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { hookContext } from '../../support/hook-context.ts'
import { tableOf, testColumns } from './columns-table.ts'

const deletionTimestamp = '2026-01-01T00:59:00Z'
const created = '2026-01-01T00:50:00Z'

const hosts = (...names: (string | undefined)[]) => names.map((host) => (host ? { host } : {}))
const ingress = (spec: object, entrances: object[] = []) => ({ spec, status: { loadBalancer: { ingress: entrances } } })

testColumns(
  'networking.k8s.io/v1',
  'ingresses',
  ['Name!', 'Class', 'Hosts', 'Address', 'Ports', 'Age'],
  [
    [ingress({}), '<none>', '*', '', '80', '10m'],
    [
      ingress({ ingressClassName: 'nginx', rules: hosts('a.x', 'b.x'), tls: [{}] }, [{ hostname: 'lb' }, { ip: '1.1.1.1' }]),
      'nginx',
      'a.x,b.x',
      '1.1.1.1,lb',
      '80, 443',
      '10m',
    ],
    [ingress({ rules: hosts('a', 'b', 'c', 'd', 'e') }), '<none>', 'a,b,c + 2 more...', '', '80', '10m'],
    [ingress({ rules: hosts(undefined, 'a') }), '<none>', 'a', '', '80', '10m'],
  ],
)

const parameters = { kind: 'Config', name: 'x' }

testColumns(
  'networking.k8s.io/v1',
  'ingressclasses',
  ['Name!', 'Controller', 'Parameters', 'Age'],
  [
    [{ spec: { controller: 'example.com/c' } }, 'example.com/c', '<none>', '10m'],
    [{ spec: { controller: 'example.com/c', parameters } }, 'example.com/c', 'Config/x', '10m'],
    [{ spec: { controller: 'example.com/c', parameters: { ...parameters, apiGroup: 'g.io' } } }, 'example.com/c', 'Config.g.io/x', '10m'],
  ],
)

testColumns(
  'networking.k8s.io/v1',
  'networkpolicies',
  ['Name!', 'Pod-Selector', 'Age'],
  [
    [{ spec: { podSelector: {} } }, '<none>', '10m'],
    [
      {
        spec: {
          podSelector: {
            matchExpressions: [
              { key: 'a', operator: 'Exists' },
              { key: 'b', operator: 'DoesNotExist' },
            ],
          },
        },
      },
      'a,!b',
      '10m',
    ],
  ],
)

testColumns(
  'networking.k8s.io/v1',
  'servicecidrs',
  ['Name!', 'CIDRs', 'Age'],
  [[{ spec: { cidrs: ['10.0.0.0/16', 'fd00::/108'] } }, '10.0.0.0/16,fd00::/108', '10m']],
)

const parent = (parentRef: object) => ({ spec: { parentRef } })

testColumns(
  'networking.k8s.io/v1',
  'ipaddresses',
  ['Name!', 'ParentRef'],
  [
    [parent({ resource: 'services', namespace: 'default', name: 'web' }), 'services/default/web', '10m'],
    [parent({ group: 'x.io', resource: 'Gateways', name: 'gw' }), 'gateways.x.io/gw', '10m'],
    [{ spec: {} }, '<none>', '10m'],
  ],
)

const endpoint = (...addresses: string[]) => ({ addresses })

testColumns(
  'discovery.k8s.io/v1',
  'endpointslices',
  ['Name!', 'AddressType', 'Ports', 'Endpoints', 'Age'],
  [
    [{ addressType: 'IPv4', endpoints: [], ports: [] }, 'IPv4', '<unset>', '<unset>', '10m'],
    [
      { addressType: 'IPv4', ports: [{ port: 80 }, { name: 'any' }, {}], endpoints: [endpoint('1.1.1.1', '1.1.1.2')] },
      'IPv4',
      '80,any,*',
      '1.1.1.1,1.1.1.2',
      '10m',
    ],
    [
      {
        addressType: 'IPv6',
        ports: [1, 2, 3, 4].map((port) => ({ port })),
        endpoints: ['a', 'b', 'c', 'd', 'e'].map((each) => endpoint(each)),
      },
      'IPv6',
      '1,2,3 + 1 more...',
      'a,b,c + 2 more...',
      '10m',
    ],
  ],
)

const subjects = [
  { kind: 'User', name: 'jane' },
  { kind: 'Group', name: 'dev' },
  { kind: 'ServiceAccount', name: 'bot', namespace: 'ci' },
  { kind: 'User', name: 'joe' },
]
const bindingColumns = ['Name!', 'Role', 'Age', '+Users', '+Groups', '+ServiceAccounts']

for (const plural of ['rolebindings', 'clusterrolebindings'])
  testColumns('rbac.authorization.k8s.io/v1', plural, bindingColumns, [
    [
      { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' }, subjects },
      'ClusterRole/edit',
      '10m',
      'jane, joe',
      'dev',
      'ci/bot',
    ],
    [{ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' } }, 'Role/r', '10m', '', '', ''],
  ])

// Kinds with the default columns.
for (const [apiVersion, plural] of [
  ['rbac.authorization.k8s.io/v1', 'roles'],
  ['rbac.authorization.k8s.io/v1', 'clusterroles'],
  ['v1', 'limitranges'],
] as const)
  testColumns(apiVersion, plural, ['Name!', 'Created At:date'], [[{ spec: {} }, created]])

testColumns(
  'storage.k8s.io/v1',
  'storageclasses',
  ['Name!', 'Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion', 'Age'],
  [
    [{ provisioner: 'p' }, 'p', 'Delete', 'Immediate', false, '10m'],
    [
      { provisioner: 'p', reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer', allowVolumeExpansion: true },
      'p',
      'Retain',
      'WaitForFirstConsumer',
      true,
      '10m',
    ],
  ],
)

testColumns('storage.k8s.io/v1', 'volumeattributesclasses', ['Name!', 'DriverName', 'Age'], [[{ driverName: 'd' }, 'd', '10m']])

testColumns(
  'storage.k8s.io/v1',
  'volumeattachments',
  ['Name!', 'Attacher!', 'PV', 'Node', 'Attached:boolean', 'Age'],
  [
    [
      { spec: { attacher: 'd', nodeName: 'n', source: { persistentVolumeName: 'pv' } }, status: { attached: true } },
      'd',
      'pv',
      'n',
      true,
      '10m',
    ],
    [{ spec: { attacher: 'd', nodeName: 'n', source: {} } }, 'd', '', 'n', false, '10m'],
  ],
)

testColumns(
  'storage.k8s.io/v1',
  'csinodes',
  ['Name!', 'Drivers:integer', 'Age'],
  [
    [{ spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: [] }] } }, 1, '10m'],
    [{ spec: { drivers: [] } }, 0, '10m'],
  ],
)

testColumns(
  'storage.k8s.io/v1',
  'csidrivers',
  [
    'Name!',
    'AttachRequired:boolean',
    'PodInfoOnMount:boolean',
    'StorageCapacity:boolean',
    'TokenRequests',
    'RequiresRepublish:boolean',
    'Modes',
    'Age',
  ],
  [
    [{ spec: {} }, true, false, false, '<unset>', false, '<none>', '10m'],
    [
      {
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          storageCapacity: true,
          requiresRepublish: true,
          tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        },
      },
      false,
      true,
      true,
      'a,b',
      true,
      'Persistent,Ephemeral',
      '10m',
    ],
  ],
)

testColumns(
  'storage.k8s.io/v1',
  'csistoragecapacities',
  ['Name!', 'Created At:date'],
  [[{ storageClassName: 'fast', capacity: '10Gi' }, '2026-01-01T00:50:00Z']],
)

for (const plural of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'])
  testColumns(
    'admissionregistration.k8s.io/v1',
    plural,
    ['Name!', 'Webhooks:integer', 'Age'],
    [
      [{ webhooks: [{ name: 'a' }, { name: 'b' }] }, 2, '10m'],
      [{}, 0, '10m'],
    ],
  )

const paramKind = { apiVersion: 'rules.x/v1', kind: 'Limit' }

testColumns(
  'admissionregistration.k8s.io/v1',
  'validatingadmissionpolicies',
  ['Name!', 'Validations:integer', 'ParamKind', 'Age'],
  [
    [{ spec: { validations: [{ expression: 'true' }], paramKind } }, 1, 'rules.x/v1/Limit', '10m'],
    [{ spec: {} }, 0, '<unset>', '10m'],
  ],
)

testColumns(
  'admissionregistration.k8s.io/v1',
  'mutatingadmissionpolicies',
  ['Name!', 'Mutations:integer', 'ParamKind', 'Age'],
  [[{ spec: { mutations: [{ patchType: 'JSONPatch' }], paramKind } }, 1, 'rules.x/v1/Limit', '10m']],
)

const policyBinding = (paramRef?: object) => ({ spec: { policyName: 'p', ...(paramRef && { paramRef }) } })

for (const plural of ['validatingadmissionpolicybindings', 'mutatingadmissionpolicybindings'])
  testColumns(
    'admissionregistration.k8s.io/v1',
    plural,
    ['Name!', 'PolicyName', 'ParamRef', 'Age'],
    [
      [policyBinding(), 'p', '<unset>', '10m'],
      [policyBinding({ name: 'x' }), 'p', '*/x', '10m'],
      [policyBinding({ name: 'x', namespace: 'ns' }), 'p', 'ns/x', '10m'],
      [
        policyBinding({ selector: { matchLabels: { a: '1' }, matchExpressions: [{ key: 'b', operator: 'In', values: ['x', 'y'] }] } }),
        'p',
        '&LabelSelector{MatchLabels:map[string]string{a: 1,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:b,Operator:In,Values:[x y],},},}',
        '10m',
      ],
    ],
  )

testColumns(
  'flowcontrol.apiserver.k8s.io/v1',
  'flowschemas',
  ['Name!', 'PriorityLevel', 'MatchingPrecedence', 'DistinguisherMethod', 'Age', 'MissingPL'],
  [
    [{ spec: { priorityLevelConfiguration: { name: 'low' }, matchingPrecedence: 1000 } }, 'low', 1000, '<none>', '10m', '?'],
    [
      {
        spec: { priorityLevelConfiguration: { name: 'low' }, matchingPrecedence: 1, distinguisherMethod: { type: 'ByUser' } },
        status: { conditions: [{ type: 'Dangling', status: 'True' }] },
      },
      'low',
      1,
      'ByUser',
      '10m',
      'True',
    ],
  ],
)

testColumns(
  'flowcontrol.apiserver.k8s.io/v1',
  'prioritylevelconfigurations',
  ['Name!', 'Type', 'NominalConcurrencyShares', 'Queues', 'HandSize', 'QueueLengthLimit', 'Age'],
  [
    [{ spec: { type: 'Exempt' } }, 'Exempt', '<none>', '<none>', '<none>', '<none>', '10m'],
    [
      { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 30, limitResponse: { type: 'Reject' } } } },
      'Limited',
      30,
      '<none>',
      '<none>',
      '<none>',
      '10m',
    ],
    [
      {
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 0,
            limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
          },
        },
      },
      'Limited',
      0,
      64,
      8,
      50,
      '10m',
    ],
  ],
)

const request = (status: object, spec: object = {}) => ({
  spec: { signerName: 'x.io/s', username: 'jane', request: 'AA==', ...spec },
  status,
})
const conditions = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: 'True' })) })

testColumns(
  'certificates.k8s.io/v1',
  'certificatesigningrequests',
  ['Name!', 'Age', 'SignerName', 'Requestor', 'RequestedDuration', 'Condition'],
  [
    [request({}), '10m', 'x.io/s', 'jane', '<none>', 'Pending'],
    [request(conditions('Approved'), { expirationSeconds: 3600 }), '10m', 'x.io/s', 'jane', '60m', 'Approved'],
    [request({ ...conditions('Approved'), certificate: 'AA==' }), '10m', 'x.io/s', 'jane', '<none>', 'Approved,Issued'],
    [request(conditions('Approved', 'Failed')), '10m', 'x.io/s', 'jane', '<none>', 'Approved,Failed'],
    [request(conditions('Approved', 'Denied')), '10m', 'x.io/s', 'jane', '<none>', 'Denied'],
  ],
)

testColumns(
  'certificates.k8s.io/v1beta1',
  'clustertrustbundles',
  ['Name!', 'SignerName'],
  [
    [{ spec: { signerName: 'x.io/s', trustBundle: '' } }, 'x.io/s'],
    [{ spec: { trustBundle: '' } }, '<none>'],
  ],
)

testColumns(
  'certificates.k8s.io/v1beta1',
  'podcertificaterequests',
  ['Name!', 'PodName', 'ServiceAccountName', 'NodeName', 'SignerName', 'State', 'UnverifiedUserAnnotations'],
  [
    [{ spec: { podName: 'p', serviceAccountName: 'sa', nodeName: 'n', signerName: 's' } }, 'p', 'sa', 'n', 's', 'Pending', '<none>'],
    [{ spec: { podName: 'p', unverifiedUserAnnotations: { a: 'b' } }, status: conditions('Issued') }, 'p', '', '', '', 'Issued', 'a=b'],
  ],
)

testColumns(
  'coordination.k8s.io/v1',
  'leases',
  ['Name!', 'Holder', 'Age'],
  [
    [{ spec: { holderIdentity: 'me' } }, 'me', '10m'],
    [{ spec: {} }, '', '10m'],
  ],
)

testColumns(
  'coordination.k8s.io/v1beta1',
  'leasecandidates',
  ['Name!', 'LeaseName', 'BinaryVersion', 'EmulationVersion', 'Age'],
  [[{ spec: { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.35.0' } }, 'l', '1.36.0', '1.35.0', '10m']],
)

testColumns(
  'scheduling.k8s.io/v1',
  'priorityclasses',
  ['Name!', 'Value:integer', 'Global-Default:boolean', 'Age', 'PreemptionPolicy'],
  [
    [{ value: 1000, preemptionPolicy: 'Never' }, 1000, false, '10m', 'Never'],
    [{ value: 0, globalDefault: true }, 0, true, '10m', ''],
  ],
)

const group = (conditions: object[], spec: object = {}) => ({ spec: { schedulingPolicy: { basic: {} }, ...spec }, status: { conditions } })
const scheduled = (status: string) => ({ type: 'PodGroupScheduled', status, reason: 'x', message: '' })

testColumns(
  'scheduling.k8s.io/v1alpha2',
  'podgroups',
  ['Name!', 'Policy', 'Workload', 'Status', 'Age'],
  [
    [group([]), 'Basic', '<none>', 'Pending', '10m'],
    [
      group([scheduled('True')], {
        schedulingPolicy: { gang: { minCount: 2 } },
        podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } },
      }),
      'Gang',
      'w',
      'Scheduled',
      '10m',
    ],
    [group([scheduled('False')]), 'Basic', '<none>', 'Unschedulable', '10m'],
    [
      group([scheduled('True'), { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }]),
      'Basic',
      '<none>',
      'PreemptionByScheduler',
      '10m',
    ],
  ],
)

testColumns('node.k8s.io/v1', 'runtimeclasses', ['Name!', 'Handler', 'Age'], [[{ handler: 'gvisor' }, 'gvisor', '10m']])

const claim = (status: object, metadata: object = {}) => ({ metadata, spec: {}, status })
const allocation = { devices: {} }

for (const version of ['v1', 'v1beta1', 'v1beta2'])
  testColumns(
    `resource.k8s.io/${version}`,
    'resourceclaims',
    ['Name!', 'State', 'Age'],
    [
      [claim({}), 'pending', '10m'],
      [claim({ allocation }), 'allocated', '10m'],
      [claim({ allocation, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] }), 'allocated,reserved', '10m'],
      [claim({}, { deletionTimestamp }), 'deleted', '10m'],
      [claim({ allocation }, { deletionTimestamp }), 'deleted,allocated', '10m'],
    ],
  )

testColumns(
  'resource.k8s.io/v1',
  'resourceslices',
  ['Name!', 'Node', 'Driver', 'Pool', 'Age'],
  [
    [{ spec: { nodeName: 'n', driver: 'd', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } }, 'n', 'd', 'p', '10m'],
    [{ spec: { allNodes: true, driver: 'd', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } }, '', 'd', 'p', '10m'],
  ],
)

testColumns('resource.k8s.io/v1', 'deviceclasses', ['Name!', 'Age'], [[{ spec: {} }, '10m']])
testColumns('resource.k8s.io/v1', 'resourceclaimtemplates', ['Name!', 'Age'], [[{ spec: { spec: {} } }, '10m']])

testColumns(
  'resource.k8s.io/v1alpha3',
  'devicetaintrules',
  ['Name!', 'Key', 'Value', 'Effect', 'TimeAdded', 'Age'],
  [
    [
      { spec: { taint: { key: 'k', value: 'v', effect: 'NoExecute', timeAdded: '2026-01-01T00:55:00Z' } } },
      'k',
      'v',
      'NoExecute',
      '5m',
      '10m',
    ],
    [{ spec: { taint: { key: 'k', effect: 'NoSchedule' } } }, 'k', '', 'NoSchedule', '', '10m'],
  ],
)

const pool = (totalDevices: number, more: object = {}) => ({ driver: 'd', poolName: 'p', generation: 1, totalDevices, ...more })
const complete = { type: 'Complete', status: 'True', lastTransitionTime: '2026-01-01T00:58:00Z', reason: 'x', message: '' }

testColumns(
  'resource.k8s.io/v1alpha3',
  'resourcepoolstatusrequests',
  ['Name!', 'Driver', 'Total', 'Available', 'Allocated', 'Unavailable', 'Errors', 'Pools:integer', 'Status', 'Completed'],
  [
    [{ spec: { driver: 'd' } }, 'd', '-', '-', '-', '-', '-', 0, 'Pending', '<none>'],
    [
      {
        spec: { driver: 'd' },
        status: {
          poolCount: 3,
          pools: [pool(4, { availableDevices: 1, allocatedDevices: 3 }), pool(2, { unavailableDevices: 2, validationError: 'bad' })],
          conditions: [complete],
        },
      },
      'd',
      '6',
      '1',
      '3',
      '2',
      '1',
      3,
      'Complete (2/3 pools)',
      '2m',
    ],
    [
      { spec: { driver: 'd' }, status: { poolCount: 0, conditions: [{ ...complete, type: 'Failed' }] } },
      'd',
      '-',
      '-',
      '-',
      '-',
      '-',
      0,
      'Failed',
      '<none>',
    ],
  ],
)

testColumns(
  'internal.apiserver.k8s.io/v1alpha1',
  'storageversions',
  ['Name!', 'CommonEncodingVersion', 'StorageVersions', 'Age'],
  [
    [{ spec: {}, status: {} }, '<unset>', '<unset>', '10m'],
    [
      {
        spec: {},
        status: {
          commonEncodingVersion: 'v1',
          storageVersions: ['a', 'b'].map((apiServerID) => ({ apiServerID, encodingVersion: 'v1', decodableVersions: [] })),
        },
      },
      'v1',
      'a=v1,b=v1',
      '10m',
    ],
  ],
)

testColumns(
  'storagemigration.k8s.io/v1beta1',
  'storageversionmigrations',
  ['Name', 'Resource', 'Status'],
  [
    [{ spec: { resource: { group: 'apps', resource: 'deployments' } } }, 'deployments.apps', 'Unknown'],
    [{ spec: { resource: { resource: 'pods' } }, status: conditions('Running', 'Succeeded') }, 'pods', 'Succeeded'],
  ],
)

test('default storage classes', async () => {
  const marked = (name: string, annotations: object) => ({ metadata: { name, annotations }, provisioner: 'p' })
  const table = await tableOf('storage.k8s.io/v1', 'storageclasses', [
    marked('a', { 'storageclass.kubernetes.io/is-default-class': 'true' }),
    marked('b', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' }),
    marked('c', { 'storageclass.kubernetes.io/is-default-class': 'false' }),
  ])
  assert.deepEqual(
    table.rows.map(({ cells }) => cells[0]),
    ['a (default)', 'b (default)', 'c'],
  )
})

test('every kind prints an object with metadata only, such as a bookmark', () => {
  const context = hookContext()
  for (const definition of builtInResources) {
    const bare = { kind: definition.kind, apiVersion: definition.version, metadata: { resourceVersion: '7' } }
    const { cells } = tableWriter(definition, { apiVersion: 'meta.k8s.io/v1', includeObject: 'Metadata' }).row(bare, context)
    assert.equal((cells as unknown[]).length, definition.columns.length || 2, definition.names.plural)
  }
})
