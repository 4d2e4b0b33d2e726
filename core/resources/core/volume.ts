import { bool, field, inline, message, pointer, required, string } from '../../schema/model.ts'
import { PersistentVolumeClaimTemplate } from './persistentvolumeclaim.ts'
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CinderVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from './volume-cloud.ts'
import { EmptyDirVolumeSource, GitRepoVolumeSource, HostPathVolumeSource, ImageVolumeSource } from './volume-local.ts'
import {
  CephFSVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  RBDVolumeSource,
} from './volume-network.ts'
import { ConfigMapVolumeSource, DownwardAPIVolumeSource, ProjectedVolumeSource, SecretVolumeSource } from './volume-projected.ts'

export const EphemeralVolumeSource = message(
  'EphemeralVolumeSource',
  'A volume whose claim is created for the pod and deleted with it.',
  () => ({
    volumeClaimTemplate: pointer(1, PersistentVolumeClaimTemplate, 'Template of the claim, which is named <pod>-<volume>.'),
  }),
)

export const PersistentVolumeClaimVolumeSource = message(
  'PersistentVolumeClaimVolumeSource',
  "Name of a claim in the pod's namespace, and how its volume is mounted.",
  () => ({
    claimName: required(1, string, "Claim in the pod's namespace."),
    readOnly: field(2, bool, 'Mounts it read-only everywhere.'),
  }),
)

export const VolumeSource = message('VolumeSource', "Where a pod's volume comes from; one member is set.", () => ({
  hostPath: pointer(1, HostPathVolumeSource, 'File or directory of the node.'),
  emptyDir: pointer(2, EmptyDirVolumeSource, 'Directory that lives as long as the pod.'),
  gcePersistentDisk: pointer(3, GCEPersistentDiskVolumeSource, 'Disk of Google Compute Engine.'),
  awsElasticBlockStore: pointer(4, AWSElasticBlockStoreVolumeSource, 'Disk of Amazon Web Services.'),
  gitRepo: pointer(5, GitRepoVolumeSource, 'Clone of a git repository (deprecated).'),
  secret: pointer(6, SecretVolumeSource, 'Keys of a secret.'),
  nfs: pointer(7, NFSVolumeSource, 'NFS export.'),
  iscsi: pointer(8, ISCSIVolumeSource, 'iSCSI logical unit.'),
  glusterfs: pointer(9, GlusterfsVolumeSource, 'Gluster volume.'),
  persistentVolumeClaim: pointer(10, PersistentVolumeClaimVolumeSource, 'Volume that a claim is bound to.'),
  rbd: pointer(11, RBDVolumeSource, 'Ceph block device.'),
  flexVolume: pointer(12, FlexVolumeSource, 'Volume of an exec-based plugin.'),
  cinder: pointer(13, CinderVolumeSource, 'OpenStack Cinder volume.'),
  cephfs: pointer(14, CephFSVolumeSource, 'Ceph file system.', { internalName: 'CephFS' }),
  flocker: pointer(15, FlockerVolumeSource, 'Flocker dataset.'),
  downwardAPI: pointer(16, DownwardAPIVolumeSource, 'Values from the pod.'),
  fc: pointer(17, FCVolumeSource, 'Fibre Channel logical unit.'),
  azureFile: pointer(18, AzureFileVolumeSource, 'Azure file share.'),
  configMap: pointer(19, ConfigMapVolumeSource, 'Keys of a config map.'),
  vsphereVolume: pointer(20, VsphereVirtualDiskVolumeSource, 'vSphere disk.'),
  quobyte: pointer(21, QuobyteVolumeSource, 'Quobyte volume.'),
  azureDisk: pointer(22, AzureDiskVolumeSource, 'Azure data disk.'),
  photonPersistentDisk: pointer(23, PhotonPersistentDiskVolumeSource, 'Photon Controller disk.'),
  projected: pointer(26, ProjectedVolumeSource, 'Several sources in one directory.'),
  portworxVolume: pointer(24, PortworxVolumeSource, 'Portworx volume.'),
  scaleIO: pointer(25, ScaleIOVolumeSource, 'ScaleIO volume.'),
  storageos: pointer(27, StorageOSVolumeSource, 'StorageOS volume.', { internalName: 'StorageOS' }),
  csi: pointer(28, CSIVolumeSource, 'Volume of a CSI driver.'),
  ephemeral: pointer(29, EphemeralVolumeSource, 'Volume whose claim is created for the pod.'),
  image: pointer(30, ImageVolumeSource, 'Files of an OCI image or artifact.'),
})).with({
  internalOrder: [
    ...['hostPath', 'emptyDir', 'gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'secret', 'nfs', 'iscsi', 'glusterfs'],
    ...['persistentVolumeClaim', 'rbd', 'quobyte', 'flexVolume', 'cinder', 'cephfs', 'flocker', 'downwardAPI', 'fc', 'azureFile'],
    ...['configMap', 'vsphereVolume', 'azureDisk', 'photonPersistentDisk', 'projected', 'portworxVolume', 'scaleIO', 'storageos'],
    ...['csi', 'ephemeral', 'image'],
  ],
})

export const Volume = message('Volume', 'A volume of a pod.', () => ({
  name: required(1, string, 'DNS label, unique in the pod.'),
  volumeSource: inline(2, VolumeSource),
})).with({
  defaults(volume) {
    if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {}
  },
})
