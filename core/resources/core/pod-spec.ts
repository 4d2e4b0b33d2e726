import {
  atomicList,
  bool,
  field,
  type Gated,
  int32,
  int64,
  type JsonObject,
  keyedList,
  list,
  map,
  message,
  pointer,
  required,
  string,
} from '../../schema/model.ts'
import { Affinity } from './affinity.ts'
import { Container } from './container.ts'
import { PodConditionType, PreemptionPolicy } from './enums.ts'
import { EphemeralContainer } from './ephemeral-container.ts'
import { LocalObjectReference } from './references.ts'
import { resourceList } from './resource-list.ts'
import { ResourceRequirements } from './resources.ts'
import { Toleration, TopologySpreadConstraint } from './scheduling.ts'
import { PodSecurityContext } from './security.ts'
import { Volume } from './volume.ts'

export const HostAlias = message('HostAlias', "Lines for the pod's hosts file.", () => ({
  ip: required(1, string, 'Address.'),
  hostnames: field(2, atomicList(string), 'Names for it.'),
}))

export const PodDNSConfigOption = message('PodDNSConfigOption', 'A resolver option.', () => ({
  name: field(1, string, 'Name of the option.'),
  value: pointer(2, string, 'Its value, if it takes one.'),
}))

export const PodDNSConfig = message('PodDNSConfig', 'Resolver settings that are merged with those of the DNS policy.', () => ({
  nameservers: field(1, atomicList(string), 'Addresses of name servers, appended to those of the policy.'),
  searches: field(2, atomicList(string), 'Search domains, appended to those of the policy.'),
  options: field(3, atomicList(PodDNSConfigOption), "Options; these win over the policy's."),
}))

export const PodReadinessGate = message('PodReadinessGate', 'A condition that must be true for the pod to be ready.', () => ({
  conditionType: required(1, string, 'Type of the condition.', { goType: 'v1.PodConditionType', openEnum: PodConditionType }),
}))

export const PodOS = message('PodOS', 'Name of an operating system, such as linux or windows.', () => ({
  name: required(1, string, 'linux or windows.', { goType: 'v1.OSName', openEnum: ['linux', 'windows'] }),
}))

export const PodSchedulingGate = message('PodSchedulingGate', 'Something that the scheduler waits for before it places a pod.', () => ({
  name: required(1, string, 'Name of the gate.'),
}))

export const PodResourceClaim = message(
  'PodResourceClaim',
  'A resource claim that containers can refer to; one of the two sources is set.',
  () => ({
    name: required(1, string, 'Name within the pod.'),
    resourceClaimName: pointer(3, string, "Existing claim in the pod's namespace."),
    resourceClaimTemplateName: pointer(4, string, 'Template of a claim created for this pod.'),
  }),
)

export const PodSchedulingGroup = message('PodSchedulingGroup', 'Name of the pod group that a pod is scheduled with.', () => ({
  podGroupName: pointer(1, string, 'Pod group in the same namespace.'),
})).with({ unions: [{ members: ['podGroupName'] }] })

interface Mounting {
  volumeMounts?: { name: string }[] | undefined
}

/** Drops image volumes together with their mounts (KEP-4639). */
const imageVolumes: Gated<{ volumes?: { name: string; image?: object | undefined }[] | undefined; [list: string]: unknown }> = {
  gate: 'ImageVolume',
  uses: ({ volumes = [] }) => volumes.some(({ image }) => image !== undefined),
  drop(spec) {
    const { volumes = [] } = spec
    const gone = new Set(volumes.filter(({ image }) => image !== undefined).map(({ name }) => name))
    spec.volumes = volumes.filter(({ image }) => image === undefined)
    for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
      for (const container of (spec[list] ?? []) as Mounting[]) {
        if (container.volumeMounts) container.volumeMounts = container.volumeMounts.filter(({ name }) => !gone.has(name))
      }
    }
  },
}

/** Of the reference's internal struct, which has the fields about the host in the security context. */
const internalOrder = [
  ...['volumes', 'initContainers', 'containers', 'ephemeralContainers', 'restartPolicy', 'terminationGracePeriodSeconds'],
  ...['activeDeadlineSeconds', 'dnsPolicy', 'nodeSelector', 'serviceAccountName', 'automountServiceAccountToken', 'nodeName'],
  ...['securityContext', 'imagePullSecrets', 'hostname', 'subdomain', 'setHostnameAsFQDN', 'affinity', 'schedulerName', 'tolerations'],
  ...['hostAliases', 'priorityClassName', 'priority', 'preemptionPolicy', 'dnsConfig', 'readinessGates', 'runtimeClassName', 'overhead'],
  ...['enableServiceLinks', 'topologySpreadConstraints', 'os', 'schedulingGates', 'resourceClaims', 'resources', 'hostnameOverride'],
  'schedulingGroup',
]

function withHostFields(shown: JsonObject, value: JsonObject): JsonObject {
  const { hostNetwork = false, hostPID = false, hostIPC = false, shareProcessNamespace = null, hostUsers = null } = value
  const host = {
    HostNetwork: hostNetwork,
    HostPID: hostPID,
    HostIPC: hostIPC,
    ShareProcessNamespace: shareProcessNamespace,
    HostUsers: hostUsers,
  }
  return { ...shown, SecurityContext: shown['SecurityContext'] === null ? null : { ...host, ...(shown['SecurityContext'] as JsonObject) } }
}

export const PodSpec = message('PodSpec', 'What a pod runs and where.', () => ({
  volumes: field(1, list(Volume, { listType: 'map', keys: ['name'] }), 'Volumes that containers can mount.', {
    patchStrategy: 'merge,retainKeys',
    patchMergeKey: 'name',
  }),
  initContainers: keyedList(20, Container, 'name', 'Containers that run to completion, one after another, before the others start.'),
  containers: required(2, list(Container, { listType: 'map', keys: ['name'] }), 'The main containers; at least one.', {
    patchStrategy: 'merge',
    patchMergeKey: 'name',
  }),
  ephemeralContainers: keyedList(
    34,
    EphemeralContainer,
    'name',
    'Containers added for debugging through the ephemeralcontainers subresource.',
  ),
  restartPolicy: field(3, string, 'Whether ended containers start again: Always, OnFailure or Never.', {
    goType: 'v1.RestartPolicy',
    enum: ['Always', 'OnFailure', 'Never'],
  }),
  terminationGracePeriodSeconds: pointer(4, int64, 'Seconds between the stop signal and the kill; 30 by default.'),
  activeDeadlineSeconds: pointer(5, int64, 'Seconds after its start when the pod is ended as failed.'),
  dnsPolicy: field(6, string, 'Where resolver settings come from: ClusterFirst, ClusterFirstWithHostNet, Default or None.', {
    goType: 'v1.DNSPolicy',
    enum: ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
  }),
  nodeSelector: field(7, map(string, { atomic: true }), 'Labels that the node must have.'),
  serviceAccountName: field(8, string, 'Service account under which the pod runs.'),
  serviceAccount: field(9, string, 'Deprecated spelling of serviceAccountName.'),
  automountServiceAccountToken: pointer(21, bool, "False keeps the service account's token out of the containers."),
  nodeName: field(10, string, 'Node that the pod is bound to.'),
  hostNetwork: field(11, bool, "Uses the node's network."),
  hostPID: field(12, bool, "Uses the node's process namespace."),
  hostIPC: field(13, bool, "Uses the node's IPC namespace."),
  shareProcessNamespace: pointer(27, bool, "Lets the containers see each other's processes; excludes hostPID."),
  securityContext: pointer(14, PodSecurityContext, 'Privileges of all containers, and settings of the pod as a whole.'),
  imagePullSecrets: keyedList(15, LocalObjectReference, 'name', 'Secrets with credentials for image registries.'),
  hostname: field(16, string, "Host name; the pod's name by default."),
  subdomain: field(17, string, 'Makes the full name <hostname>.<subdomain>.<namespace>.svc.<cluster domain>.'),
  affinity: pointer(18, Affinity, 'Placement rules.'),
  schedulerName: field(19, string, 'Scheduler that places the pod.'),
  tolerations: field(22, atomicList(Toleration), 'Taints that the pod accepts.'),
  hostAliases: keyedList(23, HostAlias, 'ip', 'Further lines of the hosts file.'),
  priorityClassName: field(24, string, 'Class that gives the pod its priority.'),
  priority: pointer(25, int32, 'Priority, filled in from the class; greater is more important.'),
  dnsConfig: pointer(26, PodDNSConfig, 'Further resolver settings.'),
  readinessGates: field(28, atomicList(PodReadinessGate), "Conditions that readiness depends on besides the containers'."),
  runtimeClassName: pointer(29, string, 'Runtime class that runs the pod; empty for the default.'),
  enableServiceLinks: pointer(30, bool, 'Sets environment variables for the services of the namespace; true by default.'),
  preemptionPolicy: pointer(31, string, 'PreemptLowerPriority, or Never to wait without preempting others.', {
    goType: 'v1.PreemptionPolicy',
    enum: PreemptionPolicy,
  }),
  overhead: field(32, resourceList, 'Resources that running the pod costs besides its containers; set from the runtime class.', {
    goType: 'v1.ResourceList',
  }),
  topologySpreadConstraints: field(
    33,
    list(TopologySpreadConstraint, { listType: 'map', keys: ['topologyKey', 'whenUnsatisfiable'] }),
    'How pods like this one are spread over the topology; all must hold.',
    { patchStrategy: 'merge', patchMergeKey: 'topologyKey' },
  ),
  setHostnameAsFQDN: pointer(35, bool, 'Uses the full name as the host name.'),
  os: pointer(36, PodOS, 'Operating system that the pod needs.'),
  hostUsers: pointer(37, bool, 'False runs the pod in its own user namespace.'),
  schedulingGates: keyedList(
    38,
    PodSchedulingGate,
    'name',
    'The pod is not scheduled before this list is empty; entries can only be removed.',
  ),
  resourceClaims: field(
    39,
    list(PodResourceClaim, { listType: 'map', keys: ['name'] }),
    'Resource claims that must be allocated before the pod starts.',
    { patchStrategy: 'merge,retainKeys', patchMergeKey: 'name', gate: 'DynamicResourceAllocation' },
  ),
  resources: pointer(40, ResourceRequirements, 'Requests and limits of the pod as a whole.', { gate: 'PodLevelResources' }),
  hostnameOverride: pointer(41, string, 'Host name that wins over hostname, subdomain and setHostnameAsFQDN.', {
    gate: 'HostnameOverride',
  }),
  schedulingGroup: pointer(43, PodSchedulingGroup, 'Group of pods that this one is scheduled with.', { gate: 'GenericWorkload' }),
})).with({
  defaults(spec) {
    spec.dnsPolicy ||= 'ClusterFirst'
    spec.restartPolicy ||= 'Always'
    spec.securityContext ??= {}
    spec.terminationGracePeriodSeconds ??= 30
    spec.schedulerName ||= 'default-scheduler'
    const account = spec.serviceAccountName || spec.serviceAccount
    if (account) Object.assign(spec, { serviceAccountName: account, serviceAccount: account })
  },
  gated: [imageVolumes],
  byKind: true,
  internalOrder,
  internalForm: withHostFields,
})
