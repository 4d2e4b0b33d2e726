/** Warnings for valid objects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Manifest, startServer, withChanges } from './support.ts'

const client = startServer()

const inNamespace = (group: string, plural: string) => `${group === 'v1' ? '/api' : '/apis'}/${group}/namespaces/default/${plural}`

type Row = readonly [title: string, changes: { readonly [path: string]: unknown }, warnings: readonly string[]]

/** Creates one manifest per row and compares its warnings, in order. */
function warns(path: string, manifest: Manifest, rows: readonly Row[]): void {
  for (const [title, changes, warnings] of rows) {
    test(`${manifest['kind']}: ${title}`, async () => {
      const { code, body, warnings: found } = await (await client).send('POST', `${path}?dryRun=All`, withChanges(manifest, changes))
      assert.equal(code, 201, JSON.stringify(body))
      assert.deepEqual(found, warnings)
    })
  }
}

const named = (kind: string, apiVersion: string, rest: Manifest = {}) => ({ kind, apiVersion, metadata: { name: 'x' }, ...rest })
const container = { name: 'c', image: 'i' }
const selector = { matchLabels: { a: 'b' } }
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } }
const term = (key: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator: 'In', values: values.length > 0 ? values : ['x'] }],
})
const useLabel = 'deprecated since v1.14; use "kubernetes.io/os" instead'
const noSelector = 'a null labelSelector results in matching no pod'
const twoPorts = (...ports: unknown[]) => [container, { name: 'd', image: 'i' }].map((each, index) => ({ ...each, ports: [ports[index]] }))
const required = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
const projected = (...sources: unknown[]) => [{ name: 'v', projected: { sources } }]
const items = (...paths: string[]) => paths.map((path, index) => ({ key: `k${index}`, path }))

warns(inNamespace('v1', 'pods'), named('Pod', 'v1', { spec: { containers: [container] } }), [
  ['no warnings', {}, []],
  [
    'a name that is no DNS label',
    { 'metadata.name': 'a.b' },
    [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
  ],
  [
    'deprecated node labels',
    {
      'spec.nodeSelector': { 'beta.kubernetes.io/os': 'linux' },
      [`spec.affinity.nodeAffinity.${required}`]: { nodeSelectorTerms: [term('beta.kubernetes.io/os')] },
      [`spec.affinity.nodeAffinity.${preferred}`]: [{ weight: 1, preference: term('beta.kubernetes.io/os') }],
      'spec.topologySpreadConstraints': [{ maxSkew: 1, topologyKey: 'beta.kubernetes.io/os', whenUnsatisfiable: 'DoNotSchedule' }],
    },
    [
      `spec.nodeSelector[beta.kubernetes.io/os]: ${useLabel}`,
      `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is ${useLabel}`,
      `spec.affinity.nodeAffinity.${preferred}[0].preference.matchExpressions[0].key: beta.kubernetes.io/os is ${useLabel}`,
      `spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/os is ${useLabel}`,
      `spec.topologySpreadConstraints[0].labelSelector: ${noSelector}`,
    ],
  ],
  [
    'preferred node affinity with an invalid label value',
    { [`spec.affinity.nodeAffinity.${preferred}`]: [{ weight: 1, preference: term('a', '-1') }] },
    [
      `spec.affinity.nodeAffinity.${preferred}[0].preference.matchExpressions[0].values[0]: -1 is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ],
  [
    'affinity without a selector',
    {
      [`spec.affinity.podAffinity.${required}`]: [{ topologyKey: 'a' }],
      [`spec.affinity.podAntiAffinity.${preferred}`]: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }],
    },
    [
      `spec.affinity.podAffinity.${required}[0].labelSelector: ${noSelector}`,
      `spec.affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.labelSelector: ${noSelector}`,
    ],
  ],
  [
    'annotations replaced by fields',
    {
      'metadata.annotations': {
        'scheduler.alpha.kubernetes.io/critical-pod': '',
        'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
        'container.seccomp.security.alpha.kubernetes.io/c': 'runtime/default',
      },
    },
    [
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
    ],
  ],
  [
    'seccomp annotations beside the fields',
    {
      'metadata.annotations': { 'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default' },
      'spec.securityContext': { seccompProfile: { type: 'RuntimeDefault' } },
    },
    [],
  ],
  [
    'removed volume types',
    {
      'spec.volumes': [
        { name: 'a', gitRepo: { repository: 'r' } },
        { name: 'b', glusterfs: { endpoints: 'e', path: 'p' } },
        { name: 'c', storageos: { volumeName: 'v' } },
      ],
    },
    [
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.volumes[1].glusterfs: deprecated in v1.25, non-functional in v1.26+',
      'spec.volumes[2].storageOS: deprecated in v1.22, non-functional in v1.25+',
    ],
  ],
  [
    'a claim for fractional bytes',
    {
      'spec.volumes': [
        {
          name: 'a',
          ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } } } },
        },
      ],
    },
    [
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
  [
    'overlapping paths of one source',
    { 'spec.volumes': [{ name: 'v', configMap: { name: 'm', items: items('test', 'test/app', 'testing') } }] },
    ['volume "v" (ConfigMap "m"): overlapping paths: "test/app" with "test"'],
  ],
  [
    'overlapping paths of several sources',
    {
      'spec.serviceAccountName': 'a',
      'spec.volumes': projected(
        { secret: { name: 's', items: items('token/x') } },
        { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { serviceAccountToken: { path: 'token' } },
      ),
    },
    ['volume "v" (Projected): overlapping paths: "token" (ServiceAccountToken) with "token/x" (Secret "s")'],
  ],
  [
    'duplicate host aliases and pull secrets',
    {
      'spec.hostAliases': [
        { ip: '1.1.1.1', hostnames: ['a'] },
        { ip: '1.1.1.1', hostnames: ['b'] },
      ],
      'spec.imagePullSecrets': [{ name: 'a' }, { name: 'a' }, {}],
    },
    [
      'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
      'spec.imagePullSecrets[1].name: duplicate name "a"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
  ],
  [
    'fractional bytes in resources',
    { 'spec.containers.0.resources': { limits: { memory: '100m' }, requests: { memory: '100m', 'ephemeral-storage': '1.5' } } },
    [
      'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
  [
    'duplicate variables, unless the later one refers to the earlier',
    {
      'spec.containers.0.env': [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
        { name: 'A', value: '$(A)x' },
        { name: 'A', value: '$(A)' },
      ],
    },
    [
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      'spec.containers[0].env[3]: hides previous definition of "A", which may be dropped when using apply',
    ],
  ],
  [
    'one port in two containers',
    { 'spec.containers': twoPorts({ containerPort: 80 }, { containerPort: 80 }) },
    ['spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]'],
  ],
  [
    'a host port in one of two containers',
    { 'spec.containers': twoPorts({ containerPort: 80 }, { containerPort: 80, hostPort: 8080 }) },
    ['spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]'],
  ],
  [
    'a host port twice, once with an address',
    { 'spec.containers': twoPorts({ containerPort: 80, hostPort: 8080 }, { containerPort: 80, hostPort: 8080, hostIP: '10.0.0.1' }) },
    ['spec.containers[1].ports[0]: dangerously ambiguous port definition with spec.containers[0].ports[0]'],
  ],
  [
    'a port name in two containers',
    { 'spec.containers': twoPorts({ name: 'web', containerPort: 80 }, { name: 'web', containerPort: 81 }) },
    [
      'spec.containers[1].ports[0]: duplicate port name "web" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  ],
  [
    'a hostIP without hostPort',
    { 'spec.containers.0.ports': [{ name: 'web', containerPort: 80, hostIP: '10.0.0.1' }] },
    ['spec.containers[0].ports[0]: hostIP set without hostPort: {Name:web HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}'],
  ],
  ['a negative grace period, which is stored as 1', { 'spec.terminationGracePeriodSeconds': -1 }, []],
  [
    'an address that is not canonical',
    { 'spec.hostAliases': [{ ip: 'FD00:0::1', hostnames: ['a'] }] },
    ['spec.hostAliases[0].ip: IPv6 address "FD00:0::1" should be in RFC 5952 canonical format ("fd00::1")'],
  ],
])

const inTemplate = (path: string) => [`${path}.spec.nodeSelector`, `${path}.spec.nodeSelector[beta.kubernetes.io/os]: ${useLabel}`] as const
const nameWarning =
  'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]'
const never = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } }

const makers: readonly (readonly [group: string, plural: string, kind: string, spec: Manifest, path: string, namesPods: boolean])[] = [
  ['apps/v1', 'deployments', 'Deployment', { selector, template }, 'spec.template', true],
  ['apps/v1', 'replicasets', 'ReplicaSet', { selector, template }, 'spec.template', true],
  ['apps/v1', 'daemonsets', 'DaemonSet', { selector, template }, 'spec.template', false],
  ['v1', 'replicationcontrollers', 'ReplicationController', { template }, 'spec.template', true],
  ['batch/v1', 'jobs', 'Job', { template: never }, 'spec.template', true],
  [
    'batch/v1',
    'cronjobs',
    'CronJob',
    { schedule: '* * * * *', jobTemplate: { spec: { template: never } } },
    'spec.jobTemplate.spec.template',
    true,
  ],
]

for (const [group, plural, kind, spec, path, namesPods] of makers) {
  const [field, warning] = inTemplate(path)
  warns(inNamespace(group, plural), named(kind, group, { spec }), [
    ['a deprecated node label in the template', { [field]: { 'beta.kubernetes.io/os': 'linux' } }, [warning]],
    ['a name with a dot', { 'metadata.name': 'a.b' }, namesPods ? [nameWarning] : []],
  ])
}

warns(inNamespace('apps/v1', 'statefulsets'), named('StatefulSet', 'apps/v1', { spec: { selector, template } }), [
  [
    'a deprecated node label in the template',
    { 'spec.template.spec.nodeSelector': { 'beta.kubernetes.io/os': 'linux' } },
    [inTemplate('spec.template')[1]],
  ],
  [
    'a negative revisionHistoryLimit',
    { 'spec.revisionHistoryLimit': -1 },
    ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'],
  ],
  [
    'claims for fractional bytes',
    {
      'spec.volumeClaimTemplates': [
        { metadata: { name: 'c' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1.5' } } } },
      ],
    },
    ['spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'],
  ],
])

warns(inNamespace('v1', 'podtemplates'), named('PodTemplate', 'v1', { template }), [
  ['a label', { 'template.spec.nodeSelector': { 'beta.kubernetes.io/os': 'linux' } }, [inTemplate('template')[1]]],
  [
    'an AppArmor annotation',
    { 'template.metadata.annotations': { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } },
    [
      'template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ],
  ],
])

warns(inNamespace('batch/v1', 'jobs'), named('Job', 'batch/v1', { spec: { template: never } }), [
  [
    'too many indexes to track',
    { 'spec.completionMode': 'Indexed', 'spec.completions': 100_001, 'spec.parallelism': 10_001 },
    [
      'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    ].map((text) => text.replace('Kubernetes', 'Platform')),
  ],
])

const service = named('Service', 'v1', { spec: { ports: [{ port: 80 }] } })
warns(inNamespace('v1', 'services'), service, [
  ['no warnings', {}, []],
  [
    'fields that a headless service ignores',
    { 'spec.clusterIP': 'None', 'spec.externalIPs': ['1.2.3.4'], 'spec.sessionAffinity': 'ClientIP' },
    ['spec.externalIPs is ignored for headless services', 'spec.SessionAffinity is ignored for headless services'],
  ],
  [
    'external addresses',
    { 'spec.externalIPs': ['1.2.3.4'] },
    ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
  ],
  [
    'an externalName that the type ignores',
    { 'spec.externalName': 'a.b' },
    ['spec.externalName is ignored when spec.type is not "ExternalName"'],
  ],
  [
    'external IPs of an ExternalName service',
    { 'spec.type': 'ExternalName', 'spec.externalName': 'a.b', 'spec.externalIPs': ['1.2.3.4'] },
    ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
  ],
  [
    'trafficDistribution PreferClose',
    { 'spec.trafficDistribution': 'PreferClose' },
    ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
  ],
  [
    'topology hints by annotation',
    { 'metadata.annotations': { 'service.kubernetes.io/topology-aware-hints': 'auto' } },
    ['annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead'],
  ],
  [
    'CIDRs that are not canonical',
    { 'spec.type': 'LoadBalancer', 'spec.loadBalancerSourceRanges': ['FD00::/64', '10.0.0.0/8'] },
    ['spec.loadBalancerSourceRanges[0]: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")'],
  ],
])

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const classAnnotation =
  'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead'
warns(inNamespace('v1', 'persistentvolumeclaims'), named('PersistentVolumeClaim', 'v1', { spec: claim }), [
  ['a class by annotation', { 'metadata.annotations': { 'volume.beta.kubernetes.io/storage-class': 'a' } }, [classAnnotation]],
  [
    'fractional bytes',
    { 'spec.resources.requests.storage': '1.5' },
    ['spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'],
  ],
])

const hostPath = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } }
warns('/api/v1/persistentvolumes', named('PersistentVolume', 'v1', { spec: hostPath }), [
  [
    'annotations replaced by fields',
    { 'metadata.annotations': { 'volume.beta.kubernetes.io/storage-class': 'a', 'volume.beta.kubernetes.io/mount-options': 'ro' } },
    [
      classAnnotation,
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    ],
  ],
  [
    'reclaim policy Recycle, and a deprecated node label',
    {
      'spec.persistentVolumeReclaimPolicy': 'Recycle',
      'spec.nodeAffinity': { required: { nodeSelectorTerms: [term('beta.kubernetes.io/os')] } },
    },
    [
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is ${useLabel}`,
    ],
  ],
  [
    'a removed volume type',
    { 'spec.hostPath': undefined, 'spec.rbd': { monitors: ['a'], image: 'i' } },
    ['spec.rbd: deprecated in v1.28, non-functional in v1.31+'],
  ],
])

warns('/api/v1/nodes', named('Node', 'v1', { spec: {} }), [
  ['deprecated externalID', { 'spec.externalID': 'a' }, ['spec.externalID: this field is deprecated, and is unused by Platform']],
  [
    'a CIDR that is not canonical',
    { 'spec.podCIDRs': ['FD00::/64'] },
    ['spec.podCIDRs[0]: IPv6 CIDR value "FD00::/64" should be in RFC 5952 canonical format ("fd00::/64")'],
  ],
])

warns(inNamespace('v1', 'serviceaccounts'), named('ServiceAccount', 'v1'), [
  [
    'the enforce-mountable-secrets annotation',
    { 'metadata.annotations': { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    [
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ],
  ],
])

const pem = (type: string) => btoa(`-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`)
const pair = (certificate: string, key: string) => ({ data: { 'tls.crt': certificate, 'tls.key': key } })
warns(inNamespace('v1', 'secrets'), named('Secret', 'v1', { type: 'kubernetes.io/tls' }), [
  ['a pair', pair(pem('CERTIFICATE'), pem('EC PRIVATE KEY')), []],
  ['no certificate', pair(btoa('x'), pem('PRIVATE KEY')), ['tls: failed to find any PEM data in certificate input']],
  [
    'a key in place of a certificate',
    pair(pem('PRIVATE KEY'), pem('PRIVATE KEY')),
    ['tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'],
  ],
  ['no key', pair(pem('CERTIFICATE'), ''), ['tls: failed to find any PEM data in key input']],
  [
    'a certificate in place of a key',
    pair(pem('CERTIFICATE'), pem('CERTIFICATE')),
    ['tls: found a certificate rather than a key in the PEM for the private key'],
  ],
  [
    'another PEM block in place of a key',
    pair(pem('CERTIFICATE'), pem('X')),
    ['tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [X]'],
  ],
])

warns('/apis/storage.k8s.io/v1/csidrivers', named('CSIDriver', 'storage.k8s.io/v1', { spec: { tokenRequests: [{ audience: 'a' }] } }), [
  [
    'serviceAccountTokenInSecrets unset',
    {},
    [
      'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ],
  ],
  ['tokens in secrets', { 'spec.serviceAccountTokenInSecrets': true }, []],
])

const notCanonical = 'IPv6 address "FD00::0" should be in RFC 5952 canonical format ("fd00::")'
const endpointsAreOld = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'
warns(inNamespace('v1', 'endpoints'), named('Endpoints', 'v1'), [
  [
    'an address that is not canonical',
    { subsets: [{ notReadyAddresses: [{ ip: 'FD00::0' }] }] },
    [endpointsAreOld, `subsets[0].notReadyAddresses[0].ip: ${notCanonical}`],
  ],
])

const slices = inNamespace('discovery.k8s.io/v1', 'endpointslices')
warns(slices, named('EndpointSlice', 'discovery.k8s.io/v1', { addressType: 'IPv6', endpoints: [] }), [
  ['endpoints null', { endpoints: null }, []],
  ['names', { addressType: 'FQDN', endpoints: [{ addresses: ['a.b'] }] }, ['spec.addressType: FQDN endpoints are deprecated']],
])

const policies = inNamespace('networking.k8s.io/v1', 'networkpolicies')
warns(policies, named('NetworkPolicy', 'networking.k8s.io/v1', { spec: { podSelector: {} } }), [
  [
    'CIDRs that are not canonical',
    { 'spec.egress': [{ to: [{ ipBlock: { cidr: 'FD00::/16', except: ['FD00:1::/32'] } }] }] },
    [
      'spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "FD00::/16" should be in RFC 5952 canonical format ("fd00::/16")',
      'spec.egress[0].to[0].ipBlock.except[0]: IPv6 CIDR value "FD00:1::/32" should be in RFC 5952 canonical format ("fd00:1::/32")',
    ],
  ],
])

warns('/apis/node.k8s.io/v1/runtimeclasses', named('RuntimeClass', 'node.k8s.io/v1', { handler: 'h' }), [
  [
    'a deprecated node label',
    { 'scheduling.nodeSelector': { 'beta.kubernetes.io/os': 'linux' } },
    [`scheduling.nodeSelector: ${useLabel}`],
  ],
])

warns('/apis/storage.k8s.io/v1/storageclasses', named('StorageClass', 'storage.k8s.io/v1', { provisioner: 'p' }), [
  [
    'a deprecated node label',
    { allowedTopologies: [{ matchLabelExpressions: [{ key: 'beta.kubernetes.io/os', values: ['linux'] }] }] },
    [`allowedTopologies[0].matchLabelExpressions[0].key: ${useLabel}`],
  ],
])

const capacities = inNamespace('storage.k8s.io/v1', 'csistoragecapacities')
warns(capacities, named('CSIStorageCapacity', 'storage.k8s.io/v1', { storageClassName: 'c' }), [
  [
    'deprecated node labels',
    { nodeTopology: { matchLabels: { 'beta.kubernetes.io/os': 'linux' } } },
    [`nodeTopology.matchLabels.beta.kubernetes.io/os: ${useLabel}`],
  ],
])

test('a workload warns again when its template changes or it is scaled, not on status updates', async () => {
  const { send } = await client
  const path = inNamespace('apps/v1', 'deployments')
  const spec = { selector, template: { ...template, spec: { ...template.spec, nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } } }
  const [, warning] = inTemplate('spec.template')
  const made = await send('POST', path, named('Deployment', 'apps/v1', { metadata: { name: 'again' }, spec }))
  assert.deepEqual(made.warnings, [warning])
  const labelled = await send('PUT', `${path}/again`, withChanges(made.body, { 'metadata.labels': { a: 'b' } }))
  assert.deepEqual(labelled.warnings, [])
  const changed = await send('PUT', `${path}/again`, withChanges(labelled.body, { 'spec.paused': true }))
  assert.deepEqual(changed.warnings, [warning])
  const scale = await send('GET', `${path}/again/scale`)
  const scaled = await send(
    'PUT',
    `${path}/again/scale`,
    withChanges(scale.body, { 'metadata.resourceVersion': undefined, 'spec.replicas': 2 }),
  )
  assert.deepEqual([scaled.code, scaled.warnings], [200, [warning]])
  const reported = await send(
    'PUT',
    `${path}/again/status`,
    withChanges(changed.body, { 'metadata.resourceVersion': undefined, 'status.replicas': 1 }),
  )
  assert.deepEqual([reported.code, reported.warnings], [200, []])
})

test('addresses in a status are validated', async () => {
  const { send } = await client
  const path = inNamespace('v1', 'pods')
  const made = await send('POST', path, named('Pod', 'v1', { metadata: { name: 'reported' }, spec: { containers: [container] } }))
  const podIPs = [{ ip: 'FD00::0' }]
  const answer = await send(
    'PUT',
    `${path}/reported/status`,
    withChanges(made.body, { 'status.podIP': 'FD00::0', 'status.podIPs': podIPs }),
  )
  assert.deepEqual([answer.code, answer.warnings], [200, [`status.podIPs[0].ip: ${notCanonical}`]])
})

test('deleting a job without propagationPolicy orphans its pods, with a warning', async () => {
  const { send } = await client
  const path = inNamespace('batch/v1', 'jobs')
  const left =
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning'
  for (const [query, warnings] of [
    ['', [left]],
    ['?propagationPolicy=Background', []],
    ['?orphanDependents=true', []],
  ] as const) {
    const made = await send('POST', path, named('Job', 'batch/v1', { metadata: { generateName: 'left-' }, spec: { template: never } }))
    const answer = await send('DELETE', `${path}/${made.body.metadata['name']}${query}`)
    assert.deepEqual([answer.code, answer.warnings], [200, warnings], query)
  }
  const all = await send('DELETE', path)
  assert.deepEqual([all.code, all.warnings], [200, [left]])
})
