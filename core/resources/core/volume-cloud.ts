import { bool, field, int32, type Message, message, pointer, required, requiredPointer, string } from '../../schema/model.ts'
import { LocalObjectReference, ObjectReference, SecretReference } from './references.ts'

export const AWSElasticBlockStoreVolumeSource = message(
  'AWSElasticBlockStoreVolumeSource',
  'A disk of Amazon Web Services; usable on one node at a time.',
  () => ({
    volumeID: required(1, string, 'Identifier of the disk.'),
    fsType: field(2, string, 'File system to mount, such as ext4 or xfs.'),
    partition: field(3, int32, 'Partition number; 0 for the whole disk.'),
    readOnly: field(4, bool, 'Mounts the volume read-only.'),
  }),
)

export const AzureDiskVolumeSource = message('AzureDiskVolumeSource', 'Name, URI and caching mode of an Azure data disk.', () => ({
  diskName: required(1, string, 'Name of the disk.'),
  diskURI: required(2, string, 'URI of the disk.', { internalName: 'DataDiskURI' }),
  cachingMode: pointer(3, string, 'Host cache: None, ReadOnly or ReadWrite.', {
    goType: 'v1.AzureDataDiskCachingMode',
    enum: ['None', 'ReadOnly', 'ReadWrite'],
    default: 'ReadWrite',
  }),
  fsType: pointer(4, string, 'File system to mount, such as ext4 or xfs.', { default: 'ext4' }),
  readOnly: pointer(5, bool, 'Mounts the volume read-only.', { default: false }),
  kind: pointer(6, string, 'Shared, Dedicated or Managed.', {
    goType: 'v1.AzureDataDiskKind',
    enum: ['Shared', 'Dedicated', 'Managed'],
    default: 'Shared',
  }),
}))

const azureFile = {
  secretName: required(1, string, "Secret with the storage account's name and key."),
  shareName: required(2, string, 'Name of the share.'),
  readOnly: field(3, bool, 'Mounts the volume read-only.'),
}

export const AzureFilePersistentVolumeSource = message(
  'AzureFilePersistentVolumeSource',
  'Name and secret of an Azure file share.',
  () => ({
    ...azureFile,
    secretNamespace: pointer(4, string, 'Namespace of the secret; that of the claim by default.', { omitEmpty: false }),
  }),
)

export const AzureFileVolumeSource = message('AzureFileVolumeSource', 'Name and secret of an Azure file share.', azureFile)

const cinder = <Secret extends Message>(secret: Secret) => ({
  volumeID: required(1, string, 'Identifier of the volume.'),
  fsType: field(2, string, 'File system to mount, such as ext4 or xfs.'),
  readOnly: field(3, bool, 'Mounts the volume read-only.'),
  secretRef: pointer(4, secret, "Secret with the connection's parameters."),
})

export const CinderPersistentVolumeSource = message(
  'CinderPersistentVolumeSource',
  'ID, file system and credentials of an OpenStack Cinder volume.',
  cinder(SecretReference),
)

export const CinderVolumeSource = message(
  'CinderVolumeSource',
  'ID, file system and credentials of an OpenStack Cinder volume.',
  cinder(LocalObjectReference),
)

export const FlockerVolumeSource = message('FlockerVolumeSource', 'A Flocker dataset; one of the two is set.', () => ({
  datasetName: field(1, string, 'Deprecated: name of the dataset.'),
  datasetUUID: field(2, string, 'UUID of the dataset.'),
}))

export const GCEPersistentDiskVolumeSource = message(
  'GCEPersistentDiskVolumeSource',
  'Name, partition and file system of a Google Compute Engine disk.',
  () => ({
    pdName: required(1, string, 'Name of the disk.'),
    fsType: field(2, string, 'File system to mount, such as ext4 or xfs.'),
    partition: field(3, int32, 'Partition number; 0 for the whole disk.'),
    readOnly: field(4, bool, 'Mounts the volume read-only.'),
  }),
)

export const VsphereVirtualDiskVolumeSource = message(
  'VsphereVirtualDiskVolumeSource',
  'Path, file system and storage policy of a vSphere disk.',
  () => ({
    volumePath: required(1, string, 'Path of the disk file.'),
    fsType: field(2, string, 'File system to mount, such as ext4 or xfs.'),
    storagePolicyName: field(3, string, 'Name of the storage policy.'),
    storagePolicyID: field(4, string, 'Identifier of that policy.'),
  }),
)

export const QuobyteVolumeSource = message('QuobyteVolumeSource', 'Registry, name and user of a Quobyte volume.', () => ({
  registry: required(1, string, 'Registry services as host:port pairs, separated by commas.'),
  volume: required(2, string, 'Name of the volume.'),
  readOnly: field(3, bool, 'Mounts the volume read-only.'),
  user: field(4, string, 'User to mount as.'),
  group: field(5, string, 'Group to mount as.'),
  tenant: field(6, string, 'Owner of the volume in Quobyte.'),
}))

export const PhotonPersistentDiskVolumeSource = message(
  'PhotonPersistentDiskVolumeSource',
  'ID and file system of a Photon Controller disk.',
  () => ({
    pdID: required(1, string, 'Identifier of the disk.', { internalName: 'PdID' }),
    fsType: field(2, string, 'File system to mount, such as ext4 or xfs.'),
  }),
)

export const PortworxVolumeSource = message('PortworxVolumeSource', 'ID and file system of a Portworx volume.', () => ({
  volumeID: required(1, string, 'Identifier of the volume.'),
  fsType: field(2, string, 'File system to mount, such as ext4 or xfs.'),
  readOnly: field(3, bool, 'Mounts the volume read-only.'),
}))

const scaleIO = <Secret extends Message>(secret: Secret) => ({
  gateway: required(1, string, 'Address of the API gateway.'),
  system: required(2, string, 'Name of the storage system.'),
  secretRef: requiredPointer(3, secret, 'Secret with the login.'),
  sslEnabled: field(4, bool, 'Speaks TLS with the gateway.'),
  protectionDomain: field(5, string, 'Protection domain.'),
  storagePool: field(6, string, 'Storage pool in that domain.'),
  storageMode: field(7, string, 'ThickProvisioned or ThinProvisioned.', { default: 'ThinProvisioned' }),
  volumeName: field(8, string, 'Name of the volume.'),
  fsType: field(9, string, 'File system to mount, such as ext4 or xfs.', { default: 'xfs' }),
  readOnly: field(10, bool, 'Mounts the volume read-only.'),
})

export const ScaleIOPersistentVolumeSource = message(
  'ScaleIOPersistentVolumeSource',
  'Gateway, pool and name of a ScaleIO volume.',
  scaleIO(SecretReference),
)

export const StorageOSPersistentVolumeSource = message(
  'StorageOSPersistentVolumeSource',
  'Name, file system and credentials of a StorageOS volume.',
  () => ({
    volumeName: field(1, string, 'Name of the volume; unique in its namespace.'),
    volumeNamespace: field(2, string, "StorageOS namespace; the pod's by default."),
    fsType: field(3, string, 'File system to mount, such as ext4 or xfs.'),
    readOnly: field(4, bool, 'Mounts the volume read-only.'),
    secretRef: pointer(5, ObjectReference, "Secret with the API's credentials."),
  }),
)

export const ScaleIOVolumeSource = message(
  'ScaleIOVolumeSource',
  'Gateway, pool and name of a ScaleIO volume.',
  scaleIO(LocalObjectReference),
)

export const StorageOSVolumeSource = message('StorageOSVolumeSource', 'Name, file system and credentials of a StorageOS volume.', () => ({
  volumeName: field(1, string, 'Name of the volume; unique in its namespace.'),
  volumeNamespace: field(2, string, "StorageOS namespace; the pod's by default."),
  fsType: field(3, string, 'File system to mount, such as ext4 or xfs.'),
  readOnly: field(4, bool, 'Mounts the volume read-only.'),
  secretRef: pointer(5, LocalObjectReference, "Secret with the API's credentials."),
}))
