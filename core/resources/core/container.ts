import { atomicList, bool, field, int32, keyedList, list, message, pointer, required, string } from '../../schema/model.ts'
import { ContainerRestartPolicy, Protocol, PullPolicy, TerminationMessagePolicy } from './enums.ts'
import { EnvFromSource, EnvVar } from './env.ts'
import { pullPolicyFor } from './image-name.ts'
import { Lifecycle, Probe, stopSignals } from './probe.ts'
import { ContainerResizePolicy, ResourceRequirements } from './resources.ts'
import { SecurityContext } from './security.ts'
import { VolumeDevice, VolumeMount } from './volume-mount.ts'

export const ContainerPort = message('ContainerPort', 'A port that a container listens on.', () => ({
  name: field(1, string, 'Name by which services can refer to the port; unique in the pod.'),
  hostPort: field(2, int32, 'Port of the node that is forwarded here; with host networking equal to containerPort.'),
  containerPort: required(3, int32, 'Port inside the container.'),
  protocol: field(4, string, 'UDP, TCP or SCTP.', { goType: 'v1.Protocol', enum: Protocol, default: 'TCP' }),
  hostIP: field(5, string, 'Address of the node that hostPort is bound to.'),
}))

export const ContainerRestartRuleOnExitCodes = message('ContainerRestartRuleOnExitCodes', "A test of a container's exit code.", () => ({
  operator: required(1, string, 'In or NotIn.', {
    goType: 'v1.ContainerRestartRuleOnExitCodesOperator',
    openEnum: ['In', 'NotIn'],
    omitEmpty: true,
  }),
  values: field(2, list(int32, { listType: 'set' }), 'Exit codes to compare with.'),
}))

export const ContainerRestartRule = message('ContainerRestartRule', 'What happens when a container ends in a certain way.', () => ({
  action: required(1, string, 'Action to take: Restart, or RestartAllContainers.', {
    goType: 'v1.ContainerRestartRuleAction',
    openEnum: ['Restart', 'RestartAllContainers'],
    omitEmpty: true,
  }),
  exitCodes: pointer(2, ContainerRestartRuleOnExitCodes, 'Exit codes for which the rule applies.'),
}))

/** Fields of containers; ephemeral containers have the same ones. */
export const containerFields = {
  name: required(1, string, 'DNS label, unique among all containers of the pod; cannot be changed.'),
  image: field(2, string, 'Image to run.'),
  command: field(3, atomicList(string), "Replaces the image's entry point; $(NAME) expands to environment variables."),
  args: field(4, atomicList(string), "Replaces the image's arguments; $(NAME) expands to environment variables."),
  workingDir: field(5, string, "Directory to start in; the image's when empty."),
  ports: field(
    6,
    list(ContainerPort, { listType: 'map', keys: ['containerPort', 'protocol'] }),
    'Ports it listens on; for information, ports not listed are reachable too.',
    { patchStrategy: 'merge', patchMergeKey: 'containerPort' },
  ),
  envFrom: field(
    19,
    atomicList(EnvFromSource),
    'Config maps and secrets whose keys become environment variables; `env` wins on equal names.',
  ),
  env: keyedList(7, EnvVar, 'name', 'Environment variables.'),
  resources: field(8, ResourceRequirements, 'Requests and limits of compute resources.'),
  resizePolicy: field(23, atomicList(ContainerResizePolicy), 'Whether a change of a resource restarts it.', {
    gate: 'InPlacePodVerticalScaling',
  }),
  restartPolicy: pointer(24, string, "Overrides the pod's policy; Always makes an init container a sidecar.", {
    goType: 'v1.ContainerRestartPolicy',
    openEnum: ContainerRestartPolicy,
  }),
  restartPolicyRules: field(25, atomicList(ContainerRestartRule), 'Rules, in order, that override the restart policy by exit code.', {
    gate: 'ContainerRestartRules',
  }),
  volumeMounts: keyedList(9, VolumeMount, 'mountPath', 'Volumes mounted into its file system.'),
  volumeDevices: keyedList(21, VolumeDevice, 'devicePath', 'Volumes given to it as block devices.'),
  livenessProbe: pointer(10, Probe, 'Restarts it when this fails.'),
  readinessProbe: pointer(11, Probe, 'Removes it from service endpoints while the check fails.'),
  startupProbe: pointer(22, Probe, 'Delays the other probes until the check succeeds.'),
  lifecycle: pointer(12, Lifecycle, 'Hooks after its start and before its stop.'),
  terminationMessagePath: field(13, string, 'File whose content becomes its termination message.'),
  terminationMessagePolicy: field(20, string, 'Where the termination message comes from: the file, or the log after an error.', {
    goType: 'v1.TerminationMessagePolicy',
    enum: TerminationMessagePolicy,
  }),
  imagePullPolicy: field(14, string, 'Always, Never or IfNotPresent; Always by default for the tag latest.', {
    goType: 'v1.PullPolicy',
    enum: PullPolicy,
  }),
  securityContext: pointer(15, SecurityContext, "Privileges; wins over the pod's settings."),
  stdin: field(16, bool, 'Keeps a buffer for standard input open.'),
  stdinOnce: field(17, bool, 'Closes standard input after the first client detaches.'),
  tty: field(18, bool, 'Gives it a terminal; needs stdin.'),
}

/** Defaults of a container's fields; an empty text counts as unset. */
export function defaultContainer(container: {
  image?: string | undefined
  imagePullPolicy?: string | undefined
  terminationMessagePath?: string | undefined
  terminationMessagePolicy?: string | undefined
}): void {
  container.imagePullPolicy ||= pullPolicyFor(container.image)
  container.terminationMessagePath ||= '/dev/termination-log'
  container.terminationMessagePolicy ||= 'File'
}

export const Container = message('Container', 'One container of a pod.', containerFields).with({
  defaults: (container) => defaultContainer(container),
  gated: [stopSignals],
})
