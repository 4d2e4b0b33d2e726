import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causesOf, freshName, type Json, type Refused, refusedCases, send, updatedCases, withServer } from './harness.ts'

withServer()
const path = '/api/v1/namespaces/default/pods'
const pod = (spec: Json, container: Json = {}): Json => ({ spec: { containers: [{ name: 'c', image: 'nginx', ...container }], ...spec } })
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const at = 'spec.containers[0]'
const container = (title: string, fields: Json, ...causes: string[]): Refused => [
  title,
  pod({}, fields),
  ...causes.map((cause) => `${at}.${cause}`),
]
const spec = (title: string, fields: Json, ...causes: string[]): Refused => [title, pod(fields), ...causes.map((cause) => `spec.${cause}`)]
const volume = (title: string, source: Json, ...causes: string[]): Refused => [
  title,
  pod({ volumes: [{ name: 'v', ...source }] }),
  ...causes.map((cause) => `spec.volumes[0]${cause}`),
]

refusedCases(path, [
  ['no containers', { spec: { containers: [] } }, 'spec.containers: Required value'],
  container('an empty name', { name: '' }, 'name: Required value'),
  container('a name with capitals', { name: 'C' }, `name: Invalid value: "C": ${label}`),
  container('a missing image', { image: '' }, 'image: Required value'),
  container(
    'an image with surrounding spaces',
    { image: ' nginx' },
    'image: Invalid value: " nginx": must not have leading or trailing whitespace',
  ),
  [
    'duplicate names',
    {
      spec: {
        containers: [
          { name: 'c', image: 'a' },
          { name: 'c', image: 'b' },
        ],
      },
    },
    'spec.containers[1].name: Duplicate value: "c"',
  ],
  container(
    'an unknown pull policy',
    { imagePullPolicy: 'Maybe' },
    'imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
  ),
  container(
    'an unknown termination policy',
    { terminationMessagePolicy: 'X' },
    'terminationMessagePolicy: Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"',
  ),
  container('a missing port', { ports: [{ containerPort: 0 }] }, 'ports[0].containerPort: Required value'),
  container(
    'a port out of range',
    { ports: [{ containerPort: 70000 }] },
    'ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
  ),
  container(
    'an unknown protocol',
    { ports: [{ containerPort: 80, protocol: 'tcp' }] },
    'ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
  ),
  container(
    'duplicate port names',
    {
      ports: [
        { name: 'p', containerPort: 80 },
        { name: 'p', containerPort: 81 },
      ],
    },
    'ports[1].name: Duplicate value: "p"',
  ),
  container(
    'a port name that is too long',
    { ports: [{ name: 'abcdefghijklmnop', containerPort: 80 }] },
    'ports[0].name: Invalid value: "abcdefghijklmnop": must be no more than 15 characters',
  ),
  container(
    'duplicate host ports',
    {
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
    },
    'ports[1].hostPort: Duplicate value: "TCP//80"',
  ),
  container('a variable without name', { env: [{ name: '' }] }, 'env[0].name: Required value'),
  container(
    'a variable with =',
    { env: [{ name: 'a=b' }] },
    `env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
  ),
  container(
    'a variable without source',
    { env: [{ name: 'a', valueFrom: {} }] },
    'env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
  ),
  container(
    'a variable with value and valueFrom',
    { env: [{ name: 'a', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
    'env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
  ),
  container(
    'an unknown field',
    { env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.foo' } } }] },
    'env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.foo": error converting fieldPath: field label not supported: metadata.foo',
  ),
  container(
    'all labels in a variable',
    { env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } }] },
    'env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
  ),
  container(
    'an unknown resource',
    { env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'limits.gpu' } } }] },
    'env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
  ),
  container(
    'a reference without key',
    { env: [{ name: 'a', valueFrom: { secretKeyRef: { name: 's', key: '' } } }] },
    'env[0].valueFrom.secretKeyRef.key: Required value',
  ),
  container(
    'envFrom without a source',
    { envFrom: [{}] },
    'envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
  ),
  container(
    'variables from a config map without name',
    { envFrom: [{ configMapRef: {} }] },
    'envFrom[0].configMapRef.name: Required value',
  ),
  container('a mount of an unknown volume', { volumeMounts: [{ name: 'v', mountPath: '/v' }] }, 'volumeMounts[0].name: Not found: "v"'),
  [
    'two mounts at one path',
    pod(
      { volumes: [{ name: 'v' }] },
      {
        volumeMounts: [
          { name: 'v', mountPath: '/v' },
          { name: 'v', mountPath: '/v' },
        ],
      },
    ),
    `${at}.volumeMounts[1].mountPath: Invalid value: "/v": must be unique`,
  ],
  [
    'a mount without path',
    pod({ volumes: [{ name: 'v' }] }, { volumeMounts: [{ name: 'v', mountPath: '' }] }),
    `${at}.volumeMounts[0].mountPath: Required value`,
  ],
  [
    'a subPath that leaves the volume',
    pod({ volumes: [{ name: 'v' }] }, { volumeMounts: [{ name: 'v', mountPath: '/v', subPath: '../x' }] }),
    `${at}.volumeMounts.subPath: Invalid value: "../x": must not contain '..'`,
  ],
  [
    'bidirectional mounts without privileges',
    pod({ volumes: [{ name: 'v' }] }, { volumeMounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'Bidirectional' }] }),
    `${at}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
  ],
  [
    'a volume device that is not a claim',
    pod({ volumes: [{ name: 'v' }] }, { volumeDevices: [{ name: 'v', devicePath: '/d' }] }),
    `${at}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
  ],
  container('a probe without handler', { livenessProbe: {} }, 'livenessProbe: Required value: must specify a handler type'),
  container(
    'a probe with two handlers',
    { livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } },
    'livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
  ),
  container('a probe without command', { livenessProbe: { exec: {} } }, 'livenessProbe.exec.command: Required value'),
  container(
    'a probe of port 0',
    { livenessProbe: { tcpSocket: { port: 0 } } },
    'livenessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive',
  ),
  container(
    'a liveness probe with successThreshold 2',
    { livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } },
    'livenessProbe.successThreshold: Invalid value: 2: must be 1',
  ),
  container(
    'a negative period',
    { readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: -1 } },
    'readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
  ),
  container(
    'a grace period on a readiness probe',
    { readinessProbe: { tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 1 } },
    'readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes',
  ),
  container('a hook without handler', { lifecycle: { preStop: {} } }, 'lifecycle.preStop: Required value: must specify a handler type'),
  container(
    'a preStop sleep longer than the grace period',
    { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
    'lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
  ),
  container(
    'requests above limits',
    { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
    'resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
  ),
  container(
    'negative amounts',
    { resources: { requests: { cpu: '-1' } } },
    'resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ),
  container(
    'resources not allowed for containers',
    { resources: { limits: { pods: '1' } } },
    'resources.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
    'resources.requests[pods]: Invalid value: "pods": must be a standard resource for containers',
  ),
  container(
    'unknown resources',
    { resources: { requests: { gpu: '1' } } },
    'resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
    'resources.requests[gpu]: Invalid value: "gpu": must be a standard resource for containers',
  ),
  container(
    'extended resources without limit',
    { resources: { requests: { 'example.com/gpu': '1' } } },
    'resources.limits: Required value: Limit must be set for non overcommitable resources',
  ),
  container(
    'fractional extended resources',
    { resources: { limits: { 'example.com/gpu': '500m' } } },
    'resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
    'resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
  ),
  container(
    'huge pages without cpu or memory',
    { resources: { limits: { 'hugepages-2Mi': '2Mi' } } },
    'resources: Forbidden: HugePages require cpu or memory',
  ),
  container(
    'container claims that the pod does not declare',
    { resources: { claims: [{ name: 'x' }] } },
    'resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
  ),
  container(
    'a negative user',
    { securityContext: { runAsUser: -1 } },
    'securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
  ),
  container(
    'an unknown seccomp type',
    { securityContext: { seccompProfile: { type: 'X' } } },
    'securityContext.seccompProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
  ),
  container(
    'a Localhost profile without file',
    { securityContext: { seccompProfile: { type: 'Localhost' } } },
    'securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
  ),
  container(
    'an unmasked /proc with host users',
    { securityContext: { procMount: 'Unmasked' } },
    'securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
  ),
  container(
    'restartPolicyRules without restartPolicy',
    { restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }] },
    'restartPolicy: Required value: must specify restartPolicy when restart rules are used',
  ),
  spec(
    'an unknown restart policy',
    { restartPolicy: 'Sometimes' },
    'restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
  ),
  spec(
    'an unknown DNS policy',
    { dnsPolicy: 'X' },
    'dnsPolicy: Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
  ),
  spec(
    'dnsPolicy None without dnsConfig',
    { dnsPolicy: 'None' },
    'dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None',
  ),
  spec(
    'invalid name servers',
    { dnsConfig: { nameservers: ['x'] } },
    'dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ),
  spec(
    'four name servers',
    { dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } },
    'dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
  ),
  spec(
    'a liveness probe of an init container',
    { initContainers: [{ name: 'i', image: 'x', livenessProbe: { tcpSocket: { port: 1 } } }] },
    'initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
  ),
  spec(
    'an init container with the name of another container',
    { initContainers: [{ name: 'c', image: 'x' }] },
    'initContainers[0].name: Duplicate value: "c"',
  ),
  spec(
    'an invalid node selector',
    { nodeSelector: { 'a b': 'c' } },
    `nodeSelector: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  ),
  spec(
    'a toleration without key',
    { tolerations: [{ operator: 'Equal' }] },
    'tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
  ),
  spec(
    'an unknown effect',
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'X' }] },
    'tolerations[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ),
  spec(
    'tolerationSeconds without NoExecute',
    { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 1 }] },
    `tolerations[0].effect: Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
  ),
  spec(
    'a value for Exists',
    { tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] },
    `tolerations[0].operator: Invalid value: "x": value must be empty when \`operator\` is 'Exists'`,
  ),
  spec(
    'node affinity without terms',
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
  ),
  spec(
    'an affinity weight of 0',
    {
      affinity: {
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: 'zone' } }] },
      },
    },
    'affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
  ),
  spec(
    'a skew of 0',
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
    'topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
  ),
  spec(
    'an unknown whenUnsatisfiable',
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'X' }] },
    'topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
    'topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "X": supported values: "DoNotSchedule", "ScheduleAnyway"',
  ),
  spec(
    'a deadline of 0',
    { activeDeadlineSeconds: 0 },
    'activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
  ),
  spec('a host name with dots', { hostname: 'a.b' }, 'hostname: Invalid value: "a.b": must not contain dots'),
  spec('an unknown operating system', { os: { name: 'plan9' } }, 'os: Unsupported value: "plan9": supported values: "linux", "windows"'),
  spec(
    'Linux security context on Windows',
    { os: { name: 'windows' }, securityContext: { runAsUser: 1 } },
    'securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
  ),
  spec('host namespaces in a user namespace', { hostUsers: false, hostPID: true }, 'HostPID: Forbidden: when `hostUsers` is false'),
  spec(
    'a network sysctl with hostNetwork',
    { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.core.x', value: '1' }] } },
    `securityContext.sysctls[0].name: Invalid value: "net.core.x": may not be specified when 'hostNetwork' is true`,
  ),
  spec(
    'ephemeral containers',
    { ephemeralContainers: [{ name: 'e', image: 'x' }] },
    'ephemeralContainers: Forbidden: cannot be set on create',
  ),
  spec('duplicate scheduling gates', { schedulingGates: [{ name: 'a' }, { name: 'a' }] }, 'schedulingGates[1]: Duplicate value: "a"'),
  spec(
    'an invalid host alias',
    { hostAliases: [{ ip: 'x', hostnames: ['a'] }] },
    'hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ),
  spec(
    'an unknown preemption policy',
    { preemptionPolicy: 'X' },
    'preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
  ),
  spec(
    'a claim without source',
    { resourceClaims: [{ name: 'r' }] },
    'resourceClaims[0]: Invalid value: {"Name":"r","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
  ),
  volume('an empty name', { name: '' }, '.name: Required value'),
  volume('two sources', { emptyDir: {}, hostPath: { path: '/x' } }, '.hostPath: Forbidden: may not specify more than 1 volume type'),
  volume('a secret without name', { secret: {} }, '.secret.secretName: Required value'),
  volume('a config map without name', { configMap: {} }, '.configMap.name: Required value'),
  volume(
    'a mode out of range',
    { secret: { secretName: 's', defaultMode: 1000 } },
    '.secret.defaultMode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive',
  ),
  volume(
    'a file outside the volume',
    { configMap: { name: 'c', items: [{ key: 'k', path: '../x' }] } },
    `.configMap.items[0].path: Invalid value: "../x": must not contain '..'`,
  ),
  volume('a claim without name', { persistentVolumeClaim: { claimName: '' } }, '.persistentVolumeClaim.claimName: Required value'),
  volume('a host path with ..', { hostPath: { path: '/a/../b' } }, `.hostPath.path: Invalid value: "/a/../b": must not contain '..'`),
  volume('a relative NFS path', { nfs: { server: 's', path: 'x' } }, '.nfs.path: Invalid value: "x": must be an absolute path'),
  volume('a disk without name', { gcePersistentDisk: { pdName: '' } }, '.persistentDisk.pdName: Required value'),
  volume('a driver without name', { csi: { driver: '' } }, '.csi.driver: Required value'),
  volume(
    'tokens without account',
    { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
    '.projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
  ),
  volume('an ephemeral volume without template', { ephemeral: {} }, '.ephemeral.volumeClaimTemplate: Required value'),
  ['duplicate volume names', pod({ volumes: [{ name: 'v' }, { name: 'v' }] }), 'spec.volumes[1].name: Duplicate value: "v"'],
  [
    'many errors, in the order of kube-apiserver',
    {
      spec: {
        restartPolicy: 'X',
        containers: [{ name: 'C', ports: [{ containerPort: 0 }], volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
        volumes: [{ name: '' }],
      },
    },
    'spec.volumes[0].name: Required value',
    `${at}.name: Invalid value: "C": ${label}`,
    `${at}.image: Required value`,
    `${at}.ports[0].containerPort: Required value`,
    `${at}.volumeMounts[0].name: Not found: "v"`,
    'spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
  ],
  [
    'a finalizer without domain',
    { metadata: { finalizers: ['mine'] }, ...pod({}) },
    'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ],
])

const labels = { app: 'web' }
const deployment = (template: Json): Json => ({
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, ...template } },
})
/** A pod with an annotation of its container `c`, or of its own, beside the field. */
const annotated = (annotations: Json, spec: Json, container: Json = {}): Json => ({ metadata: { annotations }, ...pod(spec, container) })
const appArmor = 'container.apparmor.security.beta.kubernetes.io/c'
const securityAt = 'spec.containers[0].securityContext'
const tolerations = 'scheduler.alpha.kubernetes.io/tolerations'

refusedCases(path, [
  [
    'another AppArmor type in the annotation than in the field',
    annotated({ [appArmor]: 'unconfined' }, {}, { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }),
    `${securityAt}.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match`,
  ],
  [
    'another AppArmor profile in the annotation than in the field',
    annotated({ [appArmor]: 'localhost/a' }, {}, { securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'b' } } }),
    `${securityAt}.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match`,
  ],
  [
    'claims of static pods',
    annotated({ 'kubernetes.io/config.mirror': 'x' }, { nodeName: 'n', resourceClaims: [{ name: 'a' }, { name: 'a' }] }),
    '[]: Forbidden: static pods do not support resource claims',
    '[]: Forbidden: static pods do not support resource claims',
  ],
  [
    'other seccomp profiles in annotations than in fields',
    annotated(
      { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined', 'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/a' },
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'b' } } },
    ),
    'spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
    `${securityAt}.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match`,
  ],
  [
    'tolerations in an annotation that are not JSON',
    annotated({ [tolerations]: 'x' }, {}),
    `metadata.annotations: Invalid value: "${tolerations}": invalid character 'x' looking for beginning of value`,
  ],
  [
    'tolerations in an annotation that are no list',
    annotated({ [tolerations]: '{}' }, {}),
    `metadata.annotations: Invalid value: "${tolerations}": json: cannot unmarshal object into Go value of type []core.Toleration`,
  ],
  [
    'invalid tolerations in an annotation',
    annotated({ [tolerations]: '[{"Key":"a","operator":"x"}]' }, {}),
    `metadata.annotations.${tolerations}[0].operator: Unsupported value: "x": supported values: "Equal", "Exists"`,
  ],
])

refusedCases('/apis/apps/v1/namespaces/default/deployments', [
  [
    'a container without name in a template',
    deployment({ spec: { containers: [{ image: 'nginx' }] } }),
    'spec.template.spec.containers[0].name: Required value',
  ],
  ['a template without containers', deployment({ spec: { containers: [] } }), 'spec.template.spec.containers: Required value'],
])

const frozen =
  'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'
updatedCases(path, [
  ['another image', pod({}), { spec: { containers: [{ name: 'c', image: 'nginx:2' }] } }, frozen],
  [
    'another image and nothing else',
    pod({}, { imagePullPolicy: 'Always' }),
    { spec: { containers: [{ name: 'c', image: 'nginx:2', imagePullPolicy: 'Always' }] } },
  ],
  ['labels', pod({}), { metadata: { labels: { a: 'b' } } }],
  ['a node name', pod({}), { spec: { nodeName: 'n' } }, frozen],
  [
    'another container',
    pod({}),
    {
      spec: {
        containers: [
          { name: 'c', image: 'nginx' },
          { name: 'd', image: 'x' },
        ],
      },
    },
    'spec.containers: Forbidden: pod updates may not add or remove containers',
  ],
  ['a deadline', pod({}), { spec: { activeDeadlineSeconds: 5 } }],
  [
    'a later deadline',
    pod({ activeDeadlineSeconds: 5 }),
    { spec: { activeDeadlineSeconds: 6 } },
    'spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value',
  ],
  ['a further toleration', pod({}), { spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } }],
  [
    'fewer tolerations',
    pod({ tolerations: [{ key: 'a', operator: 'Exists' }] }),
    { spec: { tolerations: [] } },
    'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
  ],
  ['fewer gates', pod({ schedulingGates: [{ name: 'a' }, { name: 'b' }] }), { spec: { schedulingGates: [{ name: 'b' }] } }],
  [
    'additional scheduling gates',
    pod({}),
    { spec: { schedulingGates: [{ name: 'b' }] } },
    `spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'b'`,
  ],
  ['a node selector of a gated pod', pod({ schedulingGates: [{ name: 'a' }] }), { spec: { nodeSelector: { a: 'b' } } }],
])

test('a status update may omit the QoS class, but not change it', async () => {
  const name = freshName()
  await send('POST', path, { metadata: { name }, ...pod({}) })
  const put = async (status: Json) => send('PUT', `${path}/${name}/status`, { metadata: { name }, ...pod({}), status })
  const { body } = await put({ phase: 'Running', podIP: '10.0.0.1' })
  assert.deepEqual(body.status, { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }], qosClass: 'BestEffort' })
  assert.deepEqual(causesOf(await put({ qosClass: 'Burstable' })), ['status.qosClass: Invalid value: "Burstable": field is immutable'])
})

test('a projected volume without sources', async () => {
  const volumes = [{ name: 'none', projected: {} }]
  const { body } = await send('POST', path, { metadata: { name: freshName() }, ...pod({ volumes }) })
  assert.deepEqual((body.spec as { volumes?: unknown }).volumes, [{ name: 'none', projected: { sources: null, defaultMode: 420 } }])
})
