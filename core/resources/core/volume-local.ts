import { field, message, pointer, quantity, required, string } from '../../schema/model.ts'
import { PullPolicy } from './enums.ts'
import { pullPolicyFor } from './image-name.ts'

export const EmptyDirVolumeSource = message(
  'EmptyDirVolumeSource',
  'Medium and maximum size of a directory that lives as long as its pod.',
  () => ({
    medium: field(1, string, "Empty for the node's disk, Memory for tmpfs, or HugePages.", {
      goType: 'v1.StorageMedium',
      openEnum: ['', 'Memory', 'HugePages', 'HugePages-'],
    }),
    sizeLimit: pointer(2, quantity, 'Greatest size; beyond it the pod is evicted.'),
  }),
)

export const GitRepoVolumeSource = message('GitRepoVolumeSource', 'Repository, revision and directory to clone (deprecated).', () => ({
  repository: required(1, string, 'URL of the repository.'),
  revision: field(2, string, 'Commit to check out.'),
  directory: field(3, string, 'Directory within the volume; must not contain `..`.'),
}))

export const HostPathVolumeSource = message('HostPathVolumeSource', 'Path and expected type of a file or directory of the node.', () => ({
  path: required(1, string, 'Path on the node.'),
  type: pointer(2, string, 'What must be there, such as Directory; empty for no check.', {
    goType: 'v1.HostPathType',
    enum: ['', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'],
  }),
})).with({
  defaults(source) {
    source.type ??= ''
  },
})

export const ImageVolumeSource = message('ImageVolumeSource', 'Reference and pull policy of an OCI image or artifact.', () => ({
  reference: field(1, string, 'Image or artifact.'),
  pullPolicy: field(2, string, 'Always, Never or IfNotPresent.', { goType: 'v1.PullPolicy', enum: PullPolicy }),
})).with({
  defaults(source) {
    source.pullPolicy ||= pullPolicyFor(source.reference)
  },
})

export const LocalVolumeSource = message('LocalVolumeSource', 'Path and file system of a disk or directory of one node.', () => ({
  path: required(1, string, 'Path on the node.'),
  fsType: pointer(2, string, 'File system to mount, such as ext4 or xfs.'),
}))
