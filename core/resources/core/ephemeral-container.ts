import { bool, field, inline, list, message, pointer, required, string } from '../../schema/model.ts'
import { ContainerPort, ContainerRestartRule } from './container.ts'
import { ContainerRestartPolicy, PullPolicy, TerminationMessagePolicy } from './enums.ts'
import { EnvFromSource, EnvVar } from './env.ts'
import { pullPolicyFor } from './image-name.ts'
import { Lifecycle, Probe, stopSignals } from './probe.ts'
import { ContainerResizePolicy, ResourceRequirements } from './resources.ts'
import { SecurityContext } from './security.ts'
import { VolumeDevice, VolumeMount } from './volume-mount.ts'

export const EphemeralContainerCommon = message(
  'EphemeralContainerCommon',
  'The fields that an ephemeral container shares with ordinary ones.',
  {
    name: required(1, string, 'DNS label, unique among all containers of the pod; cannot be changed.'),
    image: field(2, string, 'Image to run.'),
    command: field(3, list(string, { listType: 'atomic' }), "Replaces the image's entry point; $(NAME) expands to environment variables."),
    args: field(4, list(string, { listType: 'atomic' }), "Replaces the image's arguments; $(NAME) expands to environment variables."),
    workingDir: field(5, string, "Directory to start in; the image's when empty."),
    ports: field(
      6,
      list(ContainerPort, { listType: 'map', keys: ['containerPort', 'protocol'] }),
      'Not allowed for ephemeral containers.',
      { patchStrategy: 'merge', patchMergeKey: 'containerPort' },
    ),
    envFrom: field(
      19,
      list(EnvFromSource, { listType: 'atomic' }),
      'Config maps and secrets whose keys become environment variables; `env` wins on equal names.',
    ),
    env: field(7, list(EnvVar, { listType: 'map', keys: ['name'] }), 'Environment variables.', {
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    }),
    resources: field(8, ResourceRequirements, 'Not allowed; spare resources of the pod are used.'),
    resizePolicy: field(23, list(ContainerResizePolicy, { listType: 'atomic' }), 'Whether a change of a resource restarts it.', {
      gate: 'InPlacePodVerticalScaling',
    }),
    restartPolicy: pointer(24, string, 'Not allowed for ephemeral containers.', {
      goType: 'v1.ContainerRestartPolicy',
      openEnum: ContainerRestartPolicy,
    }),
    restartPolicyRules: field(
      25,
      list(ContainerRestartRule, { listType: 'atomic' }),
      'Rules, in order, that override the restart policy by exit code.',
      { gate: 'ContainerRestartRules' },
    ),
    volumeMounts: field(9, list(VolumeMount, { listType: 'map', keys: ['mountPath'] }), 'Volumes mounted into its file system.', {
      patchStrategy: 'merge',
      patchMergeKey: 'mountPath',
    }),
    volumeDevices: field(21, list(VolumeDevice, { listType: 'map', keys: ['devicePath'] }), 'Volumes given to it as block devices.', {
      patchStrategy: 'merge',
      patchMergeKey: 'devicePath',
    }),
    livenessProbe: pointer(10, Probe, 'Not allowed for ephemeral containers.'),
    readinessProbe: pointer(11, Probe, 'Not allowed for ephemeral containers.'),
    startupProbe: pointer(22, Probe, 'Not allowed for ephemeral containers.'),
    lifecycle: pointer(12, Lifecycle, 'Not allowed for ephemeral containers.'),
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
  },
  {
    defaults(container) {
      container.imagePullPolicy ||= pullPolicyFor(container.image)
      container.terminationMessagePath ||= '/dev/termination-log'
      container.terminationMessagePolicy ||= 'File'
    },
  },
)

export const EphemeralContainer = message(
  'EphemeralContainer',
  'A container that is added to a running pod for debugging and never restarted.',
  {
    ephemeralContainerCommon: inline(1, EphemeralContainerCommon),
    targetContainerName: field(2, string, 'Container whose process namespace it joins, if the runtime can.'),
  },
  { gated: [stopSignals] },
)
