import { atomicList, bool, field, int32, int64, keyedList, message, pointer, required, string, time } from '../../schema/model.ts'
import { ConditionStatus } from './enums.ts'
import { resourceList } from './resource-list.ts'

export const AttachedVolume = message('AttachedVolume', 'A volume that is attached to a node.', () => ({
  name: required(1, string, 'Name of the volume.', { goType: 'v1.UniqueVolumeName' }),
  devicePath: required(2, string, 'Path of its device on the node.'),
}))

export const ConfigMapNodeConfigSource = message(
  'ConfigMapNodeConfigSource',
  'A config map with the configuration of a node agent (no longer used).',
  () => ({
    namespace: required(1, string, 'Namespace of the config map.'),
    name: required(2, string, 'Name of the config map.'),
    uid: field(3, string, 'UID of the config map; only in status.', { goType: 'types.UID' }),
    resourceVersion: field(4, string, 'Version of the config map; only in status.'),
    kubeletConfigKey: required(5, string, 'Key that holds the configuration.'),
  }),
)

export const ContainerImage = message('ContainerImage', 'An image that is present on a node.', () => ({
  names: field(1, atomicList(string), 'Names by which it is known.', { omitEmpty: false }),
  sizeBytes: field(2, int64, 'Size in bytes.'),
}))

export const DaemonEndpoint = message('DaemonEndpoint', 'A port of a daemon.', () => ({
  Port: required(1, int32, 'Port number.'),
}))

export const NodeConfigSource = message('NodeConfigSource', "Source of a node agent's configuration (no longer used).", () => ({
  configMap: pointer(2, ConfigMapNodeConfigSource, 'Config map to read.'),
}))

export const NodeCondition = message('NodeCondition', 'An observation about a node.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', {
    goType: 'v1.NodeConditionType',
    openEnum: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'],
  }),
  status: required(2, string, 'True, False or Unknown.', { goType: 'v1.ConditionStatus', openEnum: ConditionStatus }),
  lastHeartbeatTime: field(3, time, 'When the condition was last reported.'),
  lastTransitionTime: field(4, time, 'When the status last changed from one value to another.'),
  reason: field(5, string, 'One word in CamelCase that programs can match.'),
  message: field(6, string, 'Details for people.'),
}))

export const NodeAddress = message('NodeAddress', 'An address of a node.', () => ({
  type: required(1, string, 'Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.', {
    goType: 'v1.NodeAddressType',
    openEnum: ['Hostname', 'InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS'],
  }),
  address: required(2, string, 'The address.'),
}))

export const NodeDaemonEndpoints = message('NodeDaemonEndpoints', 'Ports of the daemons on a node.', () => ({
  kubeletEndpoint: field(1, DaemonEndpoint, 'Port of the node agent.'),
}))

export const NodeSwapStatus = message('NodeSwapStatus', 'Swap space of a node.', () => ({
  capacity: pointer(1, int64, 'Total in bytes.'),
}))

export const NodeSystemInfo = message('NodeSystemInfo', 'Identifiers and versions of a node.', () => ({
  machineID: required(1, string, 'Machine identifier, unique in the cluster.'),
  systemUUID: required(2, string, 'UUID that the hardware reports.'),
  bootID: required(3, string, 'Identifier of the present boot.'),
  kernelVersion: required(4, string, 'Kernel release.'),
  osImage: required(5, string, 'Name of the operating system release.'),
  containerRuntimeVersion: required(6, string, 'Runtime and version, as <name>://<version>.'),
  kubeletVersion: required(7, string, 'Version of the node agent.'),
  kubeProxyVersion: required(8, string, 'Deprecated: version of the service proxy.'),
  operatingSystem: required(9, string, 'Operating system, such as linux.'),
  architecture: required(10, string, 'Processor architecture, such as amd64.'),
  swap: pointer(11, NodeSwapStatus, 'Swap space.'),
}))

export const NodeConfigStatus = message(
  'NodeConfigStatus',
  'Configurations that a node agent was assigned and that it uses (no longer used).',
  () => ({
    assigned: pointer(1, NodeConfigSource, 'Configuration that the agent will try.'),
    active: pointer(2, NodeConfigSource, 'Configuration in use.'),
    lastKnownGood: pointer(3, NodeConfigSource, 'Configuration to fall back to.'),
    error: field(4, string, 'Why the assigned configuration is not in use.'),
  }),
)

export const NodeRuntimeHandlerFeatures = message('NodeRuntimeHandlerFeatures', 'Features of a runtime handler.', () => ({
  recursiveReadOnlyMounts: pointer(1, bool, 'It can make mounts recursively read-only.'),
  userNamespaces: pointer(2, bool, 'It can run pods in user namespaces.'),
}))

export const NodeRuntimeHandler = message('NodeRuntimeHandler', 'A handler of the container runtime.', () => ({
  name: field(1, string, 'Name; empty for the default handler.', { omitEmpty: false }),
  features: pointer(2, NodeRuntimeHandlerFeatures, 'Supported features.'),
}))

export const NodeFeatures = message('NodeFeatures', 'Features of the container runtime with any handler.', () => ({
  supplementalGroupsPolicy: pointer(1, bool, 'It honours supplementalGroupsPolicy.'),
}))

export const NodeStatus = message('NodeStatus', 'State of a node.', () => ({
  capacity: field(1, resourceList, 'Resources in total.', { goType: 'v1.ResourceList' }),
  allocatable: field(2, resourceList, 'Resources that pods can have; capacity by default.', { goType: 'v1.ResourceList' }),
  phase: field(3, string, 'No longer set.', { goType: 'v1.NodePhase', enum: ['Pending', 'Running', 'Terminated'] }),
  conditions: keyedList(4, NodeCondition, 'type', 'Latest observations, such as Ready.'),
  addresses: keyedList(5, NodeAddress, 'type', 'Addresses by which the node is reached.'),
  daemonEndpoints: field(6, NodeDaemonEndpoints, 'Ports of its daemons.'),
  nodeInfo: field(7, NodeSystemInfo, 'Identifiers and versions.'),
  images: field(8, atomicList(ContainerImage), 'Images present on the node.'),
  volumesInUse: field(9, atomicList(string), 'Attachable volumes that the node uses.', {
    goType: 'v1.UniqueVolumeName',
  }),
  volumesAttached: field(10, atomicList(AttachedVolume), 'Volumes that are attached to it.'),
  config: pointer(11, NodeConfigStatus, "State of the node agent's configuration (no longer used)."),
  runtimeHandlers: field(12, atomicList(NodeRuntimeHandler), 'Handlers that the runtime offers.'),
  features: pointer(13, NodeFeatures, 'Features of the runtime.', { gate: 'SupplementalGroupsPolicy' }),
  declaredFeatures: field(14, atomicList(string), 'Feature names that the node declares for scheduling.', {
    gate: 'NodeDeclaredFeatures',
  }),
})).with({
  defaults(status) {
    if (!status.allocatable && status.capacity) status.allocatable = { ...status.capacity }
  },
})
