import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'storage.k8s.io/v1'
const zone = { key: 'zone', values: ['a', 'b'] }
const path = (plural: string) => `/apis/${apiVersion}/${plural}`

tables(
  client,
  {
    path: path('storageclasses'),
    manifest: { apiVersion, kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'example.com/disk' },
  },
  {
    stored: [['all defaults', {}, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }]],
    refused: [
      ['no provisioner', { provisioner: undefined }, ['provisioner: Required value']],
      [
        'unknown mode',
        { volumeBindingMode: 'Later' },
        ['volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"'],
      ],
      [
        'recycled volumes',
        { reclaimPolicy: 'Recycle' },
        ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
      ],
      [
        'topology key twice',
        { allowedTopologies: [{ matchLabelExpressions: [zone, zone] }] },
        ['allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"'],
      ],
      [
        'topology without values, with a bad key',
        { allowedTopologies: [{ matchLabelExpressions: [{ key: '/x' }] }] },
        [
          'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
          'allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "/x": prefix part must be non-empty',
        ],
      ],
      [
        'equal topologies',
        { allowedTopologies: [{ matchLabelExpressions: [zone] }, { matchLabelExpressions: [{ ...zone, values: ['b', 'a'] }] }] },
        ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
      ],
      ['topology without requirements', { allowedTopologies: [{}] }, ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""']],
    ],
    updates: [
      [
        'provisioner and parameters',
        { provisioner: 'x.io/y', parameters: { a: 'b' } },
        ['parameters: Invalid value: {"a":"b"}: field is immutable', 'provisioner: Invalid value: "x.io/y": field is immutable'],
      ],
      [
        'binding mode',
        { volumeBindingMode: 'WaitForFirstConsumer' },
        ['volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'],
      ],
      ['expansion', { allowVolumeExpansion: true }, []],
    ],
  },
)

tables(
  client,
  {
    path: path('volumeattributesclasses'),
    manifest: {
      apiVersion,
      kind: 'VolumeAttributesClass',
      metadata: { name: 'gold' },
      driverName: 'disk.example.com',
      parameters: { iops: '9' },
    },
  },
  {
    refused: [['nothing in it', { parameters: undefined }, ['parameters: Required value: must contain at least one key/value pair']]],
    updates: [
      ['parameters', { 'parameters.iops': '10' }, ['parameters: Forbidden: updates to parameters are forbidden.']],
      ['no driver', { driverName: '' }, ['driverName: Forbidden: updates to driverName are forbidden.', 'driverName: Required value']],
    ],
  },
)

tables(
  client,
  { path: path('csidrivers'), manifest: { apiVersion, kind: 'CSIDriver', metadata: { name: 'disk.example.com' }, spec: {} } },
  {
    stored: [
      [
        'all defaults',
        {},
        {
          metadata: { generation: undefined },
          spec: {
            attachRequired: true,
            podInfoOnMount: false,
            storageCapacity: false,
            fsGroupPolicy: 'ReadWriteOnceWithFSType',
            volumeLifecycleModes: ['Persistent'],
            requiresRepublish: false,
            seLinuxMount: false,
          },
        },
      ],
    ],
    refused: [
      [
        'unknown mode',
        { 'spec.volumeLifecycleModes': ['Once'] },
        ['spec.volumeLifecycleModes: Unsupported value: "Once": supported values: "Persistent", "Ephemeral"'],
      ],
      [
        'token expiration too short',
        { 'spec.tokenRequests': [{ audience: 'a', expirationSeconds: 10 }] },
        ['spec.tokenRequests[0].expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes'],
      ],
      [
        'tokens among the secrets without requests',
        { 'spec.serviceAccountTokenInSecrets': true },
        ['spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified'],
      ],
      [
        'duplicate audience',
        { 'spec.tokenRequests': [{ audience: 'a' }, { audience: 'a' }] },
        ['spec.tokenRequests[1].audience: Duplicate value: "a"'],
      ],
    ],
    updates: [['attachment', { 'spec.attachRequired': false }, ['spec.attachedRequired: Invalid value: false: field is immutable']]],
  },
)

const driver = { name: 'disk.example.com', nodeID: 'n1', topologyKeys: ['zone'] }
tables(
  client,
  { path: path('csinodes'), manifest: { apiVersion, kind: 'CSINode', metadata: { name: 'n1' }, spec: { drivers: [driver] } } },
  {
    refused: [
      ['duplicate driver', { 'spec.drivers': [driver, driver] }, ['spec.drivers[1].name: Duplicate value: "disk.example.com"']],
      ['no node', { 'spec.drivers': [{ ...driver, nodeID: '' }] }, ['spec.drivers[0].nodeID: Required value']],
    ],
    updates: [
      ['driver removed', { 'spec.drivers': [] }, []],
      [
        'other node ID',
        { 'spec.drivers.0.nodeID': 'n2' },
        [
          'spec.drivers: Invalid value: {"Name":"disk.example.com","NodeID":"n2","TopologyKeys":["zone"],"Allocatable":null}: field is immutable',
        ],
      ],
    ],
  },
)

const attachment = { attacher: 'disk.example.com', nodeName: 'n1', source: { persistentVolumeName: 'v' } }
tables(
  client,
  { path: path('volumeattachments'), manifest: { apiVersion, kind: 'VolumeAttachment', metadata: { name: 'a' }, spec: attachment } },
  {
    refused: [
      [
        'no volume',
        { 'spec.source': {} },
        ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
      ],
    ],
    updates: [
      [
        'node',
        { 'spec.nodeName': 'n2' },
        [
          'spec: Invalid value: {"Attacher":"disk.example.com","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"n2"}: field is immutable',
        ],
      ],
    ],
  },
)

tables(
  client,
  {
    path: `/apis/${apiVersion}/namespaces/default/csistoragecapacities`,
    manifest: { apiVersion, kind: 'CSIStorageCapacity', metadata: { name: 'c' }, storageClassName: 'fast', capacity: '1Gi' },
  },
  {
    refused: [['negative capacity', { capacity: '-1' }, ['capacity: Invalid value: "-1": must be greater than or equal to 0']]],
    updates: [['class', { storageClassName: 'slow' }, ['storageClassName: Invalid value: "slow": field is immutable']]],
  },
)
