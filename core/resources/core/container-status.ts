import { atomicList, bool, field, int32, int64, keyedList, list, message, pointer, required, string, time } from '../../schema/model.ts'
import { RecursiveReadOnlyMode, ResourceName, Signal } from './enums.ts'
import { resourceList } from './resource-list.ts'
import { ResourceRequirements } from './resources.ts'

export const ContainerStateWaiting = message('ContainerStateWaiting', 'A container that does not run yet.', () => ({
  reason: field(1, string, 'Why it waits, in one word.'),
  message: field(2, string, 'Why it waits, in a sentence.'),
}))

export const ContainerStateRunning = message('ContainerStateRunning', 'A container that runs.', () => ({
  startedAt: field(1, time, 'When it was last started.'),
}))

export const ContainerStateTerminated = message('ContainerStateTerminated', 'A container that came to its end.', () => ({
  exitCode: required(1, int32, 'Exit code of its last run.'),
  signal: field(2, int32, 'Signal that ended its last run.'),
  reason: field(3, string, 'Why it ended, in one word.'),
  message: field(4, string, 'Why it ended, in a sentence.'),
  startedAt: field(5, time, 'When the run began.'),
  finishedAt: field(6, time, 'When the run ended.'),
  containerID: field(7, string, "Runtime's identifier, as <type>://<id>."),
}))

export const ContainerState = message(
  'ContainerState',
  'The state of a container; at most one member is set, and none means waiting.',
  () => ({
    waiting: pointer(1, ContainerStateWaiting, 'Set while it waits.'),
    running: pointer(2, ContainerStateRunning, 'Set while it runs.'),
    terminated: pointer(3, ContainerStateTerminated, 'Set once it ended.'),
  }),
)

export const ImageVolumeStatus = message('ImageVolumeStatus', 'What an image volume resolved to.', () => ({
  imageRef: required(1, string, 'Digest of the image that is mounted.', { omitEmpty: true }),
}))

export const VolumeStatus = message('VolumeStatus', 'State of a mounted volume, by kind of volume.', () => ({
  image: pointer(1, ImageVolumeStatus, 'Set for image volumes.'),
}))

export const VolumeMountStatus = message('VolumeMountStatus', 'How a volume is mounted in a container.', () => ({
  name: required(1, string, 'Name of the volume mount.'),
  mountPath: required(2, string, 'Path inside the container.'),
  readOnly: field(3, bool, 'Whether the mount is read-only.'),
  recursiveReadOnly: pointer(4, string, 'Whether mounts below it are read-only too: Disabled or Enabled.', {
    goType: 'v1.RecursiveReadOnlyMode',
    openEnum: RecursiveReadOnlyMode,
  }),
  volumeStatus: pointer(5, VolumeStatus, 'State of the volume itself.', { gate: 'ImageVolumeWithDigest' }),
}))

export const LinuxContainerUser = message('LinuxContainerUser', "User identity of a container's first process on Linux.", () => ({
  uid: required(1, int64, 'Primary user id.'),
  gid: required(2, int64, 'Primary group id.'),
  supplementalGroups: field(3, atomicList(int64), 'Further group ids.'),
}))

export const ContainerUser = message('ContainerUser', "User identity of a container's first process.", () => ({
  linux: pointer(1, LinuxContainerUser, 'Identity on Linux nodes.'),
}))

export const ResourceHealth = message('ResourceHealth', 'Health of one device that a container uses.', () => ({
  resourceID: required(1, string, 'Identifier of the device, unique within its resource.', { goType: 'v1.ResourceID' }),
  health: field(2, string, 'Healthy, Unhealthy or Unknown.', {
    goType: 'v1.ResourceHealthStatus',
    openEnum: ['Healthy', 'Unhealthy', 'Unknown'],
  }),
  message: pointer(6, string, "What is known about the device's health.", { gate: 'ResourceHealthStatusMessage' }),
}))

export const ResourceStatus = message('ResourceStatus', 'Health of the devices behind one resource name.', () => ({
  name: required(1, string, 'Resource name; for claims claim:<name>/<request>.', { goType: 'v1.ResourceName', openEnum: ResourceName }),
  resources: field(2, list(ResourceHealth, { listType: 'map', keys: ['resourceID'] }), 'Health of each device.'),
}))

export const ContainerStatus = message('ContainerStatus', 'What is known about one container.', () => ({
  name: required(1, string, 'Name of the container in the spec.'),
  state: field(2, ContainerState, 'Present state.'),
  lastState: field(3, ContainerState, 'State at the end of the previous run.'),
  ready: required(4, bool, 'Passed its readiness probe and may receive traffic.'),
  restartCount: required(5, int32, 'How often it was restarted.'),
  image: required(6, string, 'Image it was started from; may differ from the spec in spelling.'),
  imageID: required(7, string, 'Digest or identifier of that image.'),
  containerID: field(8, string, "Runtime's identifier, as <type>://<id>."),
  started: pointer(9, bool, 'Finished its start hook and passed its startup probe.'),
  allocatedResources: field(10, resourceList, 'Resources that the node has set aside for it.', { goType: 'v1.ResourceList' }),
  resources: pointer(11, ResourceRequirements, 'Requests and limits that are in force.', { gate: 'InPlacePodVerticalScaling' }),
  volumeMounts: keyedList(12, VolumeMountStatus, 'mountPath', 'How its volumes are mounted.'),
  user: pointer(13, ContainerUser, 'Identity that its first process was started with.', { gate: 'SupplementalGroupsPolicy' }),
  allocatedResourcesStatus: keyedList(14, ResourceStatus, 'name', 'Health of the devices it uses.', { gate: 'ResourceHealthStatus' }),
  stopSignal: pointer(15, string, 'Signal that stops it.', { goType: 'v1.Signal', enum: Signal }),
}))
