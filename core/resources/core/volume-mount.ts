import { bool, field, message, pointer, required, string } from '../../schema/model.ts'
import { RecursiveReadOnlyMode } from './enums.ts'

export const VolumeMount = message('VolumeMount', "A volume's place in a container's file system.", () => ({
  name: required(1, string, 'Volume of the pod.'),
  readOnly: field(2, bool, 'Mounts it read-only.'),
  recursiveReadOnly: pointer(7, string, 'Makes mounts below it read-only too: Disabled, IfPossible or Enabled.', {
    goType: 'v1.RecursiveReadOnlyMode',
    openEnum: RecursiveReadOnlyMode,
  }),
  mountPath: required(3, string, 'Path in the container; must not contain a colon.'),
  subPath: field(4, string, 'Path within the volume; its root by default.'),
  mountPropagation: pointer(5, string, 'Whether later mounts pass between node and container.', {
    goType: 'v1.MountPropagationMode',
    enum: ['None', 'HostToContainer', 'Bidirectional'],
  }),
  subPathExpr: field(6, string, 'Like subPath, with $(NAME) expanded to environment variables.'),
}))

export const VolumeDevice = message('VolumeDevice', "A block volume's place in a container.", () => ({
  name: required(1, string, 'Claim volume of the pod.'),
  devicePath: required(2, string, 'Path of the device in the container.'),
}))
